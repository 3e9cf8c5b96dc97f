/** What users hold: engines, sessions, inputs and outputs. */
@NullMarked
package dev.millrace.session;

import org.jspecify.annotations.NullMarked;
