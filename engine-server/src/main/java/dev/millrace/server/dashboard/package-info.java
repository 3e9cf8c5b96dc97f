/** The page for operators: models, requests, memory, and a form that tries a model. */
@NullMarked
package dev.millrace.server.dashboard;

import org.jspecify.annotations.NullMarked;
