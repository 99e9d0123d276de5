import { testTour } from './guided-tour.ts';

testTour('tour-recovery.md', 16);
