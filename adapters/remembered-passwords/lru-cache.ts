// Everything that is used of lru-cache, in one place: the build puts it into this file's compiled form. Installed as a
// package, with the other forms and the maps that it brings, it would take 3.6 MB.
export { LRUCache } from 'lru-cache';
