/** Portuguese: sign-up, login and the forgotten password. */
import type { Like } from '../catalog.js'
import type { signIn as english } from '../en/sign-in.js'

export const signIn: Like<typeof english> = {
  'signIn.title': 'A sua carteira em {brand}',
  'signIn.why':
    '{brand} recebe pagamentos desta carteira. Entre, ou cadastre-se uma única vez; a sua senha ' +
    'vai apenas para o serviço da carteira e {brand} nunca a vê.',
  'signIn.switched': 'Você saiu da outra conta. Entre com a que deseja usar aqui.',
  'signIn.logIn': 'Entrar',
  'signIn.signUp': 'Cadastrar-se',
  'signIn.tabs': 'Entrar ou cadastrar-se',
  'signIn.firstName': 'Nome',
  'signIn.lastName': 'Sobrenome',
  'signIn.email': 'E-mail',
  'signIn.password': 'Senha',
  'signIn.passwordHint': 'Pelo menos {minimum} caracteres; uma frase funciona bem.',
  'signIn.needsFirstName': 'Informe o seu nome.',
  'signIn.needsLastName': 'Informe o seu sobrenome.',
  'signIn.needsEmail': 'Informe o seu e-mail.',
  'signIn.needsPassword': 'Informe a sua senha.',
  'signIn.exists':
    'Já existe uma carteira com este e-mail. Entre com ele; não foi criada uma segunda.',
  'signIn.logInInstead': 'Entrar em vez disso',
  'signIn.forgot': 'Esqueceu a senha?',
  'forgot.title': 'Uma nova senha',
  'forgot.asked':
    'Se existir uma carteira com este e-mail, um link já está a caminho. Abra-o, escolha uma ' +
    'nova senha, depois volte e entre. Nenhum e-mail após alguns minutos? Peça um link a ' +
    '{contact}.',
  'forgot.how': 'Enviamos para o seu e-mail um link para escolher uma nova senha.',
  'forgot.send': 'Enviar o link',
  'forgot.noMail':
    'Este serviço de carteira não envia e-mails: peça às pessoas que o administram um link para ' +
    'escolher uma nova senha; {brand} pode dizer como falar com elas.',
  'forgot.back': 'Voltar ao login',
  'forgot.askSupport':
    'Daqui não são enviados e-mails. Escreva para {support}, informe o e-mail da sua conta e ' +
    'peça um link para escolher uma nova senha.',
}
