/**
 * Words that come first in every list of broken passwords. One of them with digits and signs around it, or with letters
 * swapped for the digits that look like them, is as well known as the word itself.
 */
export const WELL_KNOWN_WORDS: ReadonlySet<string> = new Set(
  `abc abcd access account admin administrator adminadmin andrea angel arsenal asdf asdfgh asdfghjkl ashley azerty
  azertyuiop babygirl bailey barcelona baseball basketball batman beautiful buster butterfly carlos changeit changeme
  changemenow changepassword changethis charlie chelsea chocolate cisco computer cookie daniel debian default demo
  dragon easypassword enable esp espressif farm farmer farmhub flower football freedom friends fuckyou ginger gizli
  gizlisifre google guest hallo hannah harley haslo heating hello helloworld hockey home homeassistant homebridge hunter
  iloveyou iloveyouall internet jasmine jennifer jessica jordan jupiter justin killer kodi letmein letmeinnow liverpool
  login london lovely loveme maggie manager master matrix matthew mercedes michael michelle microsoft minecraft monkey
  motdepasse mustang mypassword nicole ninja nopassword nothing opensesame orange parola pass passe passphrase passw
  passwd password passwordpassword passwort pepper phoenix pokemon princess purple qazwsx qazwsxedc qwaszx qwe qweasd
  qweasdzxc qwer qwert qwerty qwertyqwerty qwertyui qwertyuiop qwertz qwertzuiop rainbow raspberry raspberrypi root
  rootroot salasana samsung schatz secret secretpassword sensehub senha server shadow sicher soccer sommer spiderman
  spring starwars steading steeler summer sunflower sunshine superadmin superman superpassword supersecret superuser
  support sysadmin system temp temporary test tester testing testpassword testtest thomas tigger tinker toor trustno
  ubuntu ubnt unknown user username vaillant wachtwoord welcome welcomehome welcometo whatever wifi winter wordpass
  xiaozhi yamaha yourpassword zaq zaqxsw zxcvbn zxcvbnm`.split(/\s+/),
);

/** Whole passwords that no rule below recognises. */
export const WELL_KNOWN_PASSWORDS: ReadonlySet<string> = new Set(
  `0987654321 0p9o8i7u6y 1029384756 102030405060 1123581321 1234qwer 1234qwerasdf 12qwaszx 147258369 1472583690 1q2w3e4r
  1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 3rjs1la7qe 741852963 789456123 7894561230 963852741
  a1b2c3d4 a1b2c3d4e5 aa12345678 abc123456 abcd123456 adgjmptw asd123456 asdf123456 asdfasdfasdf asdfjkl;asdfjkl;
  correcthorse correcthorsebattery correcthorsebatterystaple d41d8cd98f00 g_czechout gfhjkm google123 hunter2hunter2
  iloveyou1 iloveyou12 jhon@ta2011 myspace1 ncc1701d ncc1701e ohmnamah23 p@ssw0rd1234 passw0rd1234 poohbear
  pr0gr4mm3r q1w2e3r4 q1w2e3r4t5 q1w2e3r4t5y6 q2w3e4r5t6 qaz123wsx qpwoeiruty qq123456 qwe123qwe qwerty12345
  thisismypassword tobeornottobe trustno1 trustno1trustno1 whateverwhatever x4ivygA51F zag12wsx zaq12wsx zaq1zaq1
  zse4rfv zxcvbnm123`
    .toLowerCase()
    .split(/\s+/),
);
