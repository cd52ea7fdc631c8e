// `snapcube view` as a person uses it: every feature, and what it does to the picture and the numbers. One program and one
// browser serve all of it.

import './image';
import './spectra';
import './compare';
import './model';
import './watch';
import { session } from './session';

session();
