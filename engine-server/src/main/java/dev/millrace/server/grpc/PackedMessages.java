package dev.millrace.server.grpc;

import com.google.protobuf.MessageLite;
import dev.millrace.server.endpoint.AnswerCompression;
import dev.millrace.server.endpoint.GzipOutput;
import io.grpc.Compressor;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.io.IOException;
import java.io.OutputStream;

/**
 * The packing of messages by gzip for clients that accept it. Short messages are sent as they are.
 *
 * @param level that of the deflate algorithm
 */
record PackedMessages(int level) implements ServerInterceptor, Compressor {
    @Override
    public String getMessageEncoding() {
        return "gzip";
    }

    @Override
    public OutputStream compress(OutputStream target) throws IOException {
        return new GzipOutput(target, level);
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        return next.startCall(
                new SimpleForwardingServerCall<>(call) {
                    @Override
                    public void sendHeaders(Metadata sent) {
                        // gRPC sends messages as they are to clients that do not accept the encoding
                        delegate().setCompression(getMessageEncoding());
                        super.sendHeaders(sent);
                    }

                    @Override
                    public void sendMessage(A message) {
                        delegate().setMessageCompression(isLong(message));
                        super.sendMessage(message);
                    }
                },
                headers);
    }

    private static boolean isLong(Object message) {
        return message instanceof MessageLite known && known.getSerializedSize() > AnswerCompression.SHORT;
    }
}
