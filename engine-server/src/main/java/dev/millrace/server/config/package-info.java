/** Configurations of models: config.pbtxt, its completion from the model, and what it means for a session. */
@NullMarked
package dev.millrace.server.config;

import org.jspecify.annotations.NullMarked;
