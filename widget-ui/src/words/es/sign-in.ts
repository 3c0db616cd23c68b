/** Spanish: sign-up, login and the forgotten password. */
import type { Like } from '../catalog.js'
import type { signIn as english } from '../en/sign-in.js'

export const signIn: Like<typeof english> = {
  'signIn.title': 'Su monedero en {brand}',
  'signIn.why':
    '{brand} cobra los pagos de este monedero. Inicie sesión o regístrese una sola vez; su ' +
    'contraseña llega únicamente al servicio del monedero y {brand} nunca la ve.',
  'signIn.switched': 'Ha salido de la otra cuenta. Inicie sesión con la que quiera usar aquí.',
  'signIn.logIn': 'Iniciar sesión',
  'signIn.signUp': 'Registrarse',
  'signIn.tabs': 'Iniciar sesión o registrarse',
  'signIn.firstName': 'Nombre',
  'signIn.lastName': 'Apellidos',
  'signIn.email': 'Correo electrónico',
  'signIn.password': 'Contraseña',
  'signIn.passwordHint': 'Al menos {minimum} caracteres; una frase funciona bien.',
  'signIn.needsFirstName': 'Introduzca su nombre.',
  'signIn.needsLastName': 'Introduzca sus apellidos.',
  'signIn.needsEmail': 'Introduzca su correo electrónico.',
  'signIn.needsPassword': 'Introduzca su contraseña.',
  'signIn.exists':
    'Ya existe un monedero con este correo electrónico. Inicie sesión con él; no se ha creado ' +
    'un segundo.',
  'signIn.logInInstead': 'Iniciar sesión',
  'signIn.forgot': '¿Ha olvidado su contraseña?',
  'forgot.title': 'Una contraseña nueva',
  'forgot.asked':
    'Si existe un monedero con este correo electrónico, ya va en camino un enlace. Ábralo, ' +
    'elija una contraseña nueva, vuelva aquí e inicie sesión. ¿No llega ningún correo tras unos ' +
    'minutos? Pida un enlace a {contact}.',
  'forgot.how': 'Le enviamos a su correo electrónico un enlace para elegir una contraseña nueva.',
  'forgot.send': 'Enviar el enlace',
  'forgot.noMail':
    'Este servicio de monedero no envía correos: pida a las personas que lo gestionan un enlace ' +
    'para elegir una contraseña nueva; {brand} puede decirle cómo contactar con ellas.',
  'forgot.back': 'Volver al inicio de sesión',
  'forgot.askSupport':
    'Desde aquí no se envían correos. Escriba a {support}, indique el correo electrónico de su ' +
    'cuenta y pida un enlace para elegir una contraseña nueva.',
}
