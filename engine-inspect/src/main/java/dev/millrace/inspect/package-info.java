/** Descriptions of models: the facts of a file, what a session made of it, and what runs took, as JSON and as a page. */
@NullMarked
package dev.millrace.inspect;

import org.jspecify.annotations.NullMarked;
