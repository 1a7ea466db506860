import { foldedName, words } from './names.ts';

/**
 * English words for those by which Spanish, Portuguese, French, Italian, German and Dutch documents name pages. Accents
 * are left out.
 */
const ENGLISH: Readonly<Record<string, string>> = {
  ...each('page', 'pagina', 'seite', 'blatt'),
  ...each('pages', 'paginas', 'seiten', 'pagine', 'paginatotales'),
  ...each(
    'next',
    'siguiente',
    'proximo',
    'proxima',
    'seguinte',
    'suivant',
    'suivante',
    'prochain',
    'prochaine',
  ),
  ...each(
    'next',
    'prossimo',
    'prossima',
    'successivo',
    'successiva',
    'naechste',
    'nachste',
    'naechster',
    'nachster',
  ),
  ...each('next', 'naechstes', 'nachstes', 'weiter', 'weitere', 'volgende'),
  ...each(
    'size',
    'tamano',
    'tamanio',
    'tamanho',
    'taille',
    'dimensione',
    'grandezza',
    'groesse',
    'grosse',
    'grootte',
  ),
  ...each('limit', 'limite', 'hoechstzahl', 'hochstzahl'),
  ...each('max', 'maximo', 'massimo', 'obergrenze'),
  ...each('offset', 'desplazamiento', 'deslocamento', 'decalage', 'scostamento', 'versatz', 'desplazo'),
  ...each('skip', 'saltar', 'omitir', 'pular', 'sauter', 'salta', 'ueberspringen', 'uberspringen'),
  ...each('start', 'inicio', 'debut', 'inizio', 'beginn', 'anfang'),
  ...each('end', 'fin', 'fim', 'fine', 'ende', 'einde'),
  ...each('number', 'numero', 'nummer'),
  ...each(
    'count',
    'cantidad',
    'quantidade',
    'conteo',
    'contagem',
    'anzahl',
    'quantita',
    'conteggio',
    'aantal',
  ),
  ...each(
    'total',
    'totales',
    'totais',
    'totaux',
    'totale',
    'totali',
    'gesamt',
    'gesamtzahl',
    'insgesamt',
    'totaal',
  ),
  ...each('total count', 'gesamtanzahl'),
  ...each('more', 'mas', 'mais', 'altri', 'mehr'),
  ...each('has', 'hay', 'tiene', 'ha', 'tem', 'existe', 'hat', 'gibt'),
  ...each('last', 'ultimo', 'ultima', 'dernier', 'derniere', 'letzte', 'letzter'),
  ...each('per', 'por', 'par', 'pro', 'je'),
  ...each('items', 'elementos', 'elementi', 'eintraege', 'eintrage', 'itens', 'articulos'),
  ...each('records', 'registros', 'registri', 'enregistrements', 'datensaetze', 'datensatze'),
  ...each('results', 'resultados', 'resultats', 'risultati', 'ergebnisse', 'treffer'),
  ...each('result', 'resultado', 'resultat', 'risultato', 'ergebnis'),
  ...each('response', 'respuesta', 'resposta', 'reponse', 'risposta', 'antwort'),
  ...each('data', 'datos', 'dados', 'donnees', 'dati', 'daten'),
  ...each('links', 'enlaces', 'liens', 'collegamenti', 'ligacoes', 'verweise'),
  ...each('link', 'enlace', 'lien', 'collegamento', 'ligacao', 'verweis'),
  ...each('pagination', 'paginacion', 'paginacao', 'paginazione', 'paginierung', 'seitenangaben'),
  ...each('cursor', 'curseur', 'cursore', 'zeiger'),
  ...each('marker', 'marcador', 'marqueur', 'marcatore', 'markierung'),
  ...each('token', 'ficha', 'jeton', 'gettone'),
  ...each('current', 'actual', 'atual', 'actuelle', 'actuel', 'corrente', 'attuale', 'aktuelle'),
  ...each('page size', 'seitengroesse', 'seitengrosse'),
  ...each('page number', 'seitennummer', 'seitenzahl', 'numeropagina', 'numeropage'),
  ...each('next page', 'folgeseite'),
  ...each('per page', 'proseite', 'porpagina', 'parpage', 'perpagina'),
};

function each(english: string, ...foreign: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(foreign.map((word) => [word, english]));
}

/** Words between the others that English does without. */
const PARTICLES: ReadonlySet<string> = new Set([
  ...[
    'de',
    'del',
    'la',
    'el',
    'los',
    'las',
    'da',
    'do',
    'das',
    'dos',
    'des',
    'du',
    'le',
    'les',
    'di',
    'della',
  ],
  ...['dei', 'il', 'der', 'die', 'den', 'van', 'en', 'y', 'e'],
]);

/** A name of more words is prose. */
const MOST_WORDS = 4;
const LONGEST_NAME = 60;

/**
 * The folded name and, if it has foreign words, its folded English names: in each order of the words, because a size of
 * pages is `tamaño de página` and `Seitengröße`.
 */
export function englishNames(name: string): readonly string[] {
  const own = foldedName(name);
  if (name.length > LONGEST_NAME) return [own];
  const known = remembered.get(name);
  if (known !== undefined) return known;
  const parts = words(name).map((word) => word.toLowerCase());
  const plain = parts.map(withoutAccents).filter((word) => !PARTICLES.has(word));
  const english = plain.flatMap((word) => (translation(word) ?? word).split(' '));
  const isForeign = plain.some((word) => translation(word) !== undefined);
  const names =
    isForeign && english.length <= MOST_WORDS
      ? [...new Set([own, ...orders(english).map((each) => each.join(''))])]
      : [own];
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  remembered.set(name, names);
  return names;
}

const remembered = new Map<string, readonly string[]>();
const MOST_REMEMBERED = 5_000;

function translation(word: string): string | undefined {
  return Object.hasOwn(ENGLISH, word) ? ENGLISH[word] : undefined;
}

/** `größe` is written `groesse`, too. */
function withoutAccents(word: string): string {
  return word.replaceAll('ß', 'ss').normalize('NFD').replaceAll(/\p{M}/gu, '');
}

function orders(items: readonly string[]): readonly (readonly string[])[] {
  if (items.length < 2) return [items];
  return items.flatMap((item, index) => orders(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));
}
