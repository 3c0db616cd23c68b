/** Portuguese: what fields, failures and times say on every page. */
import type { Like } from '../catalog.js'
import type { shared as english } from '../en/shared.js'

export const shared: Like<typeof english> = {
  'time.now': 'agora mesmo',
  'act.tryAgain': 'Tentar novamente',
  'field.capsLock': 'As maiúsculas estão ativadas.',
  'field.show': 'Mostrar',
  'field.hide': 'Ocultar',
  'field.showPassword': 'Mostrar a senha',
  'field.hidePassword': 'Ocultar a senha',
  'failure.noAnswer':
    'O serviço da carteira não responde neste momento. Tente novamente dentro de instantes.',
  'failure.noAnswerUnmoved':
    'O serviço da carteira não responde neste momento. Nenhum dinheiro foi movimentado. Tente ' +
    'novamente dentro de instantes.',
  'failure.page': 'Ocorreu um erro nesta página. Nada foi alterado. Carregue-a novamente.',
  'failure.tries': {
    one: 'Houve tentativas demais. Espere um minuto e tente novamente.',
    other: 'Houve tentativas demais. Espere {count} minutos e tente novamente.',
  },
  'failure.tooMuch': 'Há pedidos demais ao mesmo tempo. Tente novamente dentro de instantes.',
  'failure.login': 'Este e-mail e esta senha não correspondem. Verifique ambos e tente novamente.',
  'failure.client':
    'A loja a que esta página pertence não pode usar a carteira agora. Avise a loja.',
  'failure.exists': 'Já existe uma carteira com este e-mail. Entre com ele.',
  'failure.session': 'A sessão expirou.',
  'failure.otherAccount': 'A nova sessão é de outra pessoa ou de outro aplicativo, ou terminou.',
  'failure.inactive': 'A carteira não está ativa.',
  'failure.cards':
    'Os pagamentos com cartão não são possíveis agora. O que foi pago será creditado mais ' +
    'tarde, automaticamente.',
  'failure.noMail': 'Este serviço não envia e-mails. Peça um link às pessoas que o administram.',
  'failure.other': 'O serviço da carteira não aceitou o pedido. Verifique os dados informados.',
  'fault.email': 'Informe um e-mail, por exemplo ana@example.com.',
  'fault.short': 'São necessários pelo menos {minimum} caracteres.',
  'fault.other': 'Este valor não é aceito. Informe outro.',
  'service.same':
    'A sua carteira em {brand} é uma única carteira, com um único saldo, em todos os ' +
    'aplicativos que você vincular.',
  'service.sameOf':
    'A sua carteira em {brand} é administrada por {service}: uma única carteira, com um único ' +
    'saldo, em todos os aplicativos que você vincular.',
  'service.support': 'Ajuda',
  'service.terms': 'Termos',
  'service.privacy': 'Privacidade',
}
