/** Sequences: runs whose outputs are the inputs of the next one. */
@NullMarked
package dev.millrace.session.state;

import org.jspecify.annotations.NullMarked;
