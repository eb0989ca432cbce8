/**
 * Run by python3: a pseudo terminal on one side, the plain port on the other. The first line it prints is the path.
 * While nobody has the terminal open, bytes are thrown away: whoever opens it later must not read an old SYN as a fresh
 * one. It ends with the connection, so it never outlives the house.
 */
export const PTY_BRIDGE = `
import os, pty, select, socket, sys, tty
port = int(sys.argv[1])
master, slave = pty.openpty()
tty.setraw(slave)
print(os.ttyname(slave), flush=True)
os.close(slave)
os.set_blocking(master, False)
link = socket.create_connection(("127.0.0.1", port))
link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
poll = select.poll()
poll.register(link, select.POLLIN)
watched = False
def is_open():
    probe = select.poll()
    probe.register(master, 0)
    return not any(event & select.POLLHUP for _, event in probe.poll(0))
while True:
    opened = is_open()
    if opened != watched:
        poll.register(master, select.POLLIN) if opened else poll.unregister(master)
        watched = opened
    for fd, event in poll.poll(20):
        if fd == link.fileno():
            data = link.recv(4096)
            if not data:
                sys.exit(0)
            if is_open():
                try:
                    os.write(master, data)
                except OSError:
                    pass
        elif event & select.POLLIN:
            try:
                data = os.read(master, 4096)
            except OSError:
                continue
            if data:
                link.sendall(data)
`;
