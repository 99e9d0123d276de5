import { testTour } from './guided-tour.ts';

testTour('tour-life.md', 19);
