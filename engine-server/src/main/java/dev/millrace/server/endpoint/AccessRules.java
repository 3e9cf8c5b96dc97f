package dev.millrace.server.endpoint;

import dev.millrace.server.access.Tokens;

/**
 * The rules by which a port takes or refuses a request.
 *
 * @param tokens the bearer tokens, one of which requests need
 * @param mostRequests the requests that each protocol handles at once; further ones are refused
 * @param mostBytes the most bytes of a body of HTTP or a message of gRPC
 */
public record AccessRules(Tokens tokens, int mostRequests, int mostBytes) {}
