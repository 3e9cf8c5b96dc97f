package dev.millrace.server.endpoint;

/**
 * The levels of the deflate algorithm for answers whose clients accept compressed ones; 0 for none.
 *
 * @param http that of answers by HTTP
 * @param grpc that of gRPC's messages
 */
public record AnswerCompression(int http, int grpc) {
    /** The size up to which answers are sent as they are. */
    public static final int SHORT = 1 << 10;
}
