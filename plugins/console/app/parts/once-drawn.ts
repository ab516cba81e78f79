/** What a page needs once it is drawn. */
import './kept-focus.ts';
import '../style/print.css';
