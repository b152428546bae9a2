import { holdInShort } from './hold-in-short.ts';

holdInShort('embedded');
