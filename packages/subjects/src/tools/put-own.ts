/** Sets an own key, whatever it is called: plain assignment to `__proto__` would change the prototype instead. */
export function putOwn<T, V extends T>(target: Record<string, T>, key: string, value: V): void {
  if (key === "__proto__")
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}
