/**
 * Portuguese: the mails, by the keys of English. Formal, short, exact about what did and did not
 * change.
 */
import type { MailWords } from './mail-words.js'

export const portuguese: MailWords = {
  wallet: 'Carteira',
  'foot.account': 'Este e-mail diz respeito à conta de carteira de {account}.',
  'foot.support': 'Dúvidas? {support}',
  'foot.doNotAnswer': 'Foi enviado automaticamente; as respostas não são lidas.',
  'reset.subject': '{service}: escolher uma nova senha',
  'reset.lead':
    'Alguém, esperamos que você, pediu para escolher uma nova senha para a sua carteira.',
  'reset.link': 'O link funciona uma única vez, durante uma hora:',
  'reset.notYou': 'Se não foi você, não faça nada: nada mudou.',
  notYou: 'Se não foi você, escolha já uma nova senha: “Esqueceu a senha?” no início de sessão.',
  'confirm.subject': '{service}: confirme o seu e-mail',
  'confirm.lead': 'Abra o link para confirmar que este endereço é seu.',
  'confirm.link': 'Funciona uma única vez, durante um dia:',
  'confirm.notYou': 'Se não o pediu, não faça nada.',
  'login.subject': '{service}: novo início de sessão',
  'login.lead': 'Alguém iniciou sessão na sua carteira: {device}, na página de {app}.',
  'password.subject': '{service}: nova senha',
  'password.lead': 'A senha da sua carteira foi alterada.',
  'emailAsked.subject': '{service}: foi pedido outro e-mail',
  'emailAsked.lead': 'A sua carteira terá o e-mail {email} assim que esse endereço for confirmado.',
  'emailChanged.subject': '{service}: novo e-mail',
  'emailChanged.lead': 'O e-mail da sua carteira é agora {email}. Este endereço já não é usado.',
  'closed.subject': '{service}: a sua conta está fechada',
  'closed.lead': 'Até {date}, iniciar sessão reabre-a. Depois é apagada.',
  'reopened.subject': '{service}: a sua conta está aberta de novo',
  'reopened.lead': 'Um início de sessão reabriu a conta que tinha fechado.',
  'money.subject': '{service}: há dinheiro na sua carteira fechada',
  'money.lead': 'Chegou dinheiro à carteira que fechou. É seu: inicie sessão para o usar.',
  'money.kept': 'A conta não é apagada enquanto tiver dinheiro.',
  'cardSaved.subject': '{service}: cartão guardado',
  'cardSaved.lead':
    'O cartão {card} foi guardado. Com a sua sessão iniciada, paga com ele num só toque.',
  'cardRemoved.subject': '{service}: cartão removido',
  'cardRemoved.lead': 'O cartão {card} foi removido. Já não pode ser cobrado aqui.',
  'autoOn.subject': '{service}: o carregamento automático está ligado',
  'autoOn.lead': 'Quando o saldo desce abaixo do valor escolhido, o seu cartão guardado é cobrado.',
  'autoOff.subject': '{service}: o carregamento automático está desligado',
  'autoOff.lead':
    'O seu banco recusou duas vezes o carregamento automático. Está desligado e nada ' +
    'foi cobrado.',
  'autoOff.next': 'Inicie sessão para carregar ou para o ligar de novo com outro cartão.',
  'returned.subject': '{service}: o dinheiro volta para o seu cartão',
  'returned.lead':
    'O que foi pago com cartão e restava na carteira volta para o cartão de onde veio. ' +
    'Os bancos demoram até dez dias.',
}
