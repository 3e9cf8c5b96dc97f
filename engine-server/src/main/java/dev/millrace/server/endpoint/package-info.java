/** The parts that the ports of a server share: the repository, the settings, and the limits of requests. */
@NullMarked
package dev.millrace.server.endpoint;

import org.jspecify.annotations.NullMarked;
