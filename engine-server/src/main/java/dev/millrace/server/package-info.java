/** The public API of the model server: its start, its options and its end. */
@NullMarked
package dev.millrace.server;

import org.jspecify.annotations.NullMarked;
