/** The public API: engines, sessions and their options, inputs, outputs, and the compiler of context models. */
@NullMarked
package dev.millrace.session;

import org.jspecify.annotations.NullMarked;
