/** The way of a model to what can run or be kept: read, checked, optimised, shared out, compiled. */
@NullMarked
package dev.millrace.session.build;

import org.jspecify.annotations.NullMarked;
