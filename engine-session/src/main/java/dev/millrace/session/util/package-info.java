/** Checks of arguments, failures, deadlines, locks: what every part of a session uses. */
@NullMarked
package dev.millrace.session.util;

import org.jspecify.annotations.NullMarked;
