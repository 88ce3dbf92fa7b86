// The script of the worker, in a file of its own that the panel in the editor loads with the first graph.
import script from 'worker:dagre';

window.warplensLayout = script;
