package dev.millrace.flink;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.functions.async.RichAsyncFunction;
import org.jspecify.annotations.Nullable;

/** A function that asks a model server for the words of {@link NumberedWords}, with binary tensors. */
final class CallingFunction extends RichAsyncFunction<Long, Tuple2<Long, float[]>> {
    private static final int OK = 200;
    private static final String HEADER_LENGTH = "Inference-Header-Content-Length";
    private static final String HEADER = """
        {"inputs":[{"name":"input_ids","datatype":"INT64","shape":[1,2],"parameters":{"binary_data_size":16}},
        {"name":"attention_mask","datatype":"INT64","shape":[1,2],"parameters":{"binary_data_size":16}}],
        "parameters":{"binary_data_output":true}}\
        """;

    private final String address;
    private transient @Nullable HttpClient client;

    /** @param port the port of a server with the model {@code words} */
    CallingFunction(int port) {
        address = "http://localhost:" + port + "/v2/models/words/infer";
    }

    @Override
    public void open(OpenContext context) {
        client = HttpClient.newHttpClient();
    }

    @Override
    public void asyncInvoke(Long number, ResultFuture<Tuple2<Long, float[]>> result) {
        byte[] header = HEADER.getBytes(StandardCharsets.US_ASCII);
        ByteBuffer body = ByteBuffer.allocate(header.length + 4 * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        body.put(header);
        for (long id : NumberedWords.ids(number)) {
            body.putLong(id);
        }
        body.putLong(1).putLong(1);
        HttpRequest request = HttpRequest.newBuilder(URI.create(address))
                .header(HEADER_LENGTH, Integer.toString(header.length))
                .POST(BodyPublishers.ofByteArray(body.array()))
                .build();
        Objects.requireNonNull(client)
                .sendAsync(request, BodyHandlers.ofByteArray())
                .whenComplete((answer, failure) -> {
                    if (failure != null) {
                        result.completeExceptionally(failure);
                    } else if (answer.statusCode() != OK) {
                        result.completeExceptionally(
                                new IllegalStateException(new String(answer.body(), StandardCharsets.UTF_8)));
                    } else {
                        result.complete(List.of(Tuple2.of(number, floats(answer))));
                    }
                });
    }

    private static float[] floats(HttpResponse<byte[]> answer) {
        int header =
                Math.toIntExact(answer.headers().firstValueAsLong(HEADER_LENGTH).orElseThrow());
        ByteBuffer numbers =
                ByteBuffer.wrap(answer.body()).order(ByteOrder.LITTLE_ENDIAN).position(header);
        float[] floats = new float[numbers.remaining() / Float.BYTES];
        numbers.asFloatBuffer().get(floats);
        return floats;
    }

    @Override
    public void close() {
        if (client != null) {
            client.close();
        }
    }
}
