/** The Open Inference Protocol by REST. */
@NullMarked
package dev.millrace.server.rest;

import org.jspecify.annotations.NullMarked;
