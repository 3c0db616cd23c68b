/** Portuguese: the wallet, its entries, its menu and the cards in its place. */
import type { Like } from '../catalog.js'
import type { wallet as english } from '../en/wallet.js'

export const wallet: Like<typeof english> = {
  'wallet.title': 'Carteira',
  'wallet.word': 'carteira',
  'wallet.latest': 'Últimos movimentos',
  'wallet.balance': 'Saldo',
  'wallet.lastKnown': 'Último saldo conhecido',
  'wallet.balanceIs': 'Saldo: {amount}',
  'wallet.reserved': 'Reservado: {held}, disponível: {available}',
  'wallet.negative':
    'Uma recarga foi retirada depois de ter sido gasta. Os pagamentos são recusados até que ' +
    'este valor seja coberto.',
  'wallet.topUp': 'Recarregar',
  'wallet.lost':
    'Sem conexão com o serviço da carteira. Última resposta: {time}. O seu dinheiro está ' +
    'seguro; continuamos tentando.',
  'wallet.tryNow': 'Tentar agora',
  'wallet.noTopUpPage': 'A página de recarga não abriu?',
  'wallet.topUpHere': 'Recarregar aqui',
  'wallet.paused': 'Esta carteira está suspensa.',
  'wallet.pausedWhy': 'Motivo: {reason}',
  'wallet.pausedMeans':
    'O seu saldo fica como está. Pagamentos e recargas são recusados até que ela seja retomada.',
  'wallet.loading': 'Carregando a sua carteira.',
  'wallet.spokenBalance': 'Saldo {amount}.',
  'wallet.spokenNew': 'Novo: {title}, {amount}.',
  'wallet.pendingOne':
    'O seu banco está processando uma recarga de {amount}. Não é preciso pagá-la de novo.',
  'wallet.pendingMany': {
    one: 'O seu banco está processando {count} recarga. Não é preciso pagá-la de novo.',
    other: 'O seu banco está processando {count} recargas. Não é preciso pagá-las de novo.',
  },
  'menu.word': 'menu da conta',
  'menu.yourAccount': 'A sua conta',
  'menu.switch': 'Trocar de conta',
  'menu.switchMeans':
    '{brand} esquece esta conta aqui, e você entra com outra. O seu dinheiro fica onde está.',
  'menu.language': 'Idioma',
  'entry.none':
    'Ainda não há movimentos nesta carteira. Recarregue para pagar com ela pela primeira vez.',
  'entry.otherApps':
    'O que você faz em outros aplicativos aparece aqui sem detalhes, para que {brand} não possa ' +
    'lê-lo.',
  'entry.processing': 'Em processamento',
  'entry.state': 'Estado',
  'entry.atBank': 'O seu banco está processando. O dinheiro ainda não está no seu saldo.',
  'entry.balanceAfter': 'Saldo após',
  'entry.whatFor': 'Descrição',
  'entry.details': 'Detalhes',
  'entry.hidden': 'Ocultos, para que {brand} não possa lê-los.',
  'entry.app': 'Aplicativo',
  'entry.seenByYou': '{app}: {kind}. Você vê isto porque entrou aqui; {brand} não vê.',
  'entry.reference': 'Referência',
  'entry.creditElsewhere': 'Crédito de outro aplicativo',
  'entry.paymentElsewhere': 'Pagamento em outro aplicativo',
  'entry.topUp': 'Recarga',
  'entry.topUpTaken': 'Recarga retirada',
  'entry.topUpRestored': 'Recarga restabelecida',
  'entry.topUpRefunded': 'Recarga reembolsada no seu cartão',
  'entry.disputeRestored': 'Recarga contestada restabelecida',
  'entry.disputed': 'Recarga contestada junto ao seu banco',
  'entry.bonus': 'Bônus',
  'entry.bonusTaken': 'Bônus retirado',
  'ended.title': 'A sessão da sua carteira terminou',
  'ended.why':
    'Ela termina após cinco minutos para manter a sua carteira segura. Nenhum dinheiro foi ' +
    'movimentado.',
  'ended.logInOrLoad': 'Entre aqui para continuar ou carregue novamente a página de {brand}.',
  'ended.load': 'Carregue novamente a página da loja para continuar.',
  'ended.logIn': 'Entrar aqui',
  'problem.off': 'Esta carteira está desativada aqui',
  'problem.offMeans':
    '{brand} não pode usar a carteira neste momento. O seu dinheiro está seguro e nenhum ' +
    'dinheiro foi movimentado. Pergunte a {brand} quando ela voltará.',
  'problem.noShop': 'Nenhuma loja indicada',
  'problem.noShopMeans':
    'Esta página da carteira foi aberta sem a loja a que pertence, por isso ninguém pode entrar ' +
    'aqui. Nenhum dinheiro foi movimentado. Volte à loja e abra a sua carteira a partir dela.',
  'problem.makers':
    'Para quem constrói a loja: o endereço precisa do clientId de um aplicativo cliente ' +
    'registrado, por exemplo {address}. O {doctor} diz o que mais falta.',
  'problem.doctor': 'doutor do widget',
}
