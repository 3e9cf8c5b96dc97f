/** Names of models, and the files that they lead to. */
@NullMarked
package dev.millrace.models;

import org.jspecify.annotations.NullMarked;
