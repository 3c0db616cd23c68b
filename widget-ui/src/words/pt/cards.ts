/** Portuguese: saved cards. */
import type { Like } from '../catalog.js'
import type { cards as english } from '../en/cards.js'
import { long } from '../long-text.js'

export const cards: Like<typeof english> = {
  'saved.pay': 'Pagar {amount} com {card}',
  'saved.other': 'Usar outro cartão',
  'saved.save': 'Guardar este cartão para a próxima vez',
  'saved.saveMeans': 'Fica no processador de pagamentos. A sua palavra-passe confirma que é você.',
  'saved.expires': 'Expira {date}',
  'saved.expired': 'Expirado {date}',
  'cards.title': 'Cartões e carregamento automático',
  'auto.rule': 'Abaixo de {threshold} são carregados {amount} automaticamente.',
  'auto.month': '{used} de {most} no máximo este mês.',
  'auto.off': 'Desligar',
  'auto.failed': 'O seu banco recusou duas vezes: o carregamento automático está desligado.',
  'auto.on': 'Ligar o carregamento automático',
  'auto.change': 'Alterar o carregamento automático',
  'auto.threshold': 'Quando houver menos de',
  'auto.amount': 'Carregar este valor',
  'auto.monthMaximum': 'No máximo este valor por mês',
  'auto.card': 'Com este cartão',
  'auto.fault': 'Introduza um valor acima de 0.',
  'cards.none':
    'Nenhum cartão está guardado. Ao carregar, escolha «Guardar este cartão para a próxima vez».',
  'cards.remove': 'Remover',
  'cards.removeAsk': long(
    '{card} é removido aqui e no processador de pagamentos. Para o usar de novo, ',
    'introduza-o outra vez.',
  ),
  'failure.tooManyCards': 'Já tem o máximo de cartões guardados. Remova um primeiro.',
  'failure.noCard': 'Este cartão já não está guardado.',
  'test.always': '3-D Secure sempre',
  'test.alwaysMeans': 'O banco pergunta em cada pagamento; guardado, não pode ser cobrado sem si.',
  'test.later': 'Recusado depois de guardado',
  'test.laterMeans':
    'O primeiro pagamento funciona; os seguintes com o cartão guardado são recusados.',
}
