package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.server.protocol.ModelInferRequest;
import dev.millrace.server.protocol.ModelInferRequest.InferInputTensor;
import dev.millrace.server.protocol.ModelInferResponse;
import io.grpc.CallOptions;
import io.grpc.ClientStreamTracer;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests answers that are compressed for clients that accept it. */
class CompressionTest {
    private static final int MANY = 200_000;

    @TempDir
    Path folder;

    @BeforeEach
    void write() {
        new TestRepository(folder)
                .version("same", 1, ServerModels.same(ElementType.FLOAT))
                .version("bytes", 1, ServerModels.same(ElementType.UINT8))
                .mill();
    }

    private static String zeros(int elements) {
        return "{\"inputs\": [{\"name\": \"x\", \"datatype\": \"FP32\", \"shape\": [" + elements + "], \"data\": ["
                + "0,".repeat(elements - 1) + "0]}]}";
    }

    private static HttpResponse<byte[]> infer(RestClient client, String body, String accepted) throws Exception {
        return post(client, "v2/models/same/infer", body.getBytes(StandardCharsets.UTF_8), accepted);
    }

    private static HttpResponse<byte[]> post(RestClient client, String path, byte[] body, String... headers)
            throws Exception {
        var request = HttpRequest.newBuilder(client.uri(path)).POST(BodyPublishers.ofByteArray(body));
        if (!headers[0].isEmpty()) {
            request.header("Accept-Encoding", headers[0]);
        }
        for (int i = 1; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        HttpResponse<byte[]> answer = client.client().send(request.build(), BodyHandlers.ofByteArray());
        assertThat(answer.statusCode()).isEqualTo(200);
        return answer;
    }

    private static String encoding(HttpResponse<?> answer) {
        return answer.headers().firstValue("Content-Encoding").orElse("");
    }

    private static byte[] unpacked(HttpResponse<byte[]> answer) throws IOException {
        InputStream packed = new ByteArrayInputStream(answer.body());
        try (InputStream content =
                encoding(answer).equals("gzip") ? new GZIPInputStream(packed) : new InflaterInputStream(packed)) {
            return content.readAllBytes();
        }
    }

    @ParameterizedTest
    @CsvSource({"gzip, 1000", "gzip, 200000", "deflate, 1000", "deflate, 200000"})
    void answersAreCompressedAsClientsAccept(String encoding, int elements) throws Exception {
        try (var client = RestClient.ofOwnServer(folder)) {
            HttpResponse<byte[]> plain = infer(client, zeros(elements), "");
            assertThat(encoding(plain)).isEmpty();
            HttpResponse<byte[]> packed = infer(client, zeros(elements), encoding);
            assertThat(encoding(packed)).isEqualTo(encoding);
            assertThat(packed.headers().firstValue("Vary")).contains("Accept-Encoding");
            assertThat(packed.body()).hasSizeLessThan(plain.body().length / 10);
            assertThat(unpacked(packed)).isEqualTo(plain.body());
        }
    }

    /** The length of the document in an answer with binary tensors is that of the content. */
    @ParameterizedTest
    @EnumSource(HttpClient.Version.class)
    void binaryTensorsAreCompressedToo(HttpClient.Version version) throws Exception {
        try (var server = TestServers.start(folder);
                var client = new RestClient(server, version)) {
            String document = "{\"parameters\": {\"binary_data_output\": true}, \"inputs\": [{\"name\": \"x\","
                    + " \"datatype\": \"FP32\", \"shape\": [" + MANY + "], \"parameters\": {\"binary_data_size\": "
                    + 4 * MANY + "}}]}";
            byte[] json = document.getBytes(StandardCharsets.UTF_8);
            HttpResponse<byte[]> packed = post(
                    client,
                    "v2/models/same/infer",
                    Arrays.copyOf(json, json.length + 4 * MANY),
                    "gzip",
                    "Inference-Header-Content-Length",
                    Integer.toString(json.length));
            assertThat(encoding(packed)).isEqualTo("gzip");
            byte[] content = unpacked(packed);
            int length = Integer.parseInt(packed.headers()
                    .firstValue("Inference-Header-Content-Length")
                    .orElseThrow());
            assertThat(new String(content, 0, length, StandardCharsets.UTF_8)).contains("\"shape\":[" + MANY + "]");
            assertThat(Arrays.copyOfRange(content, length, content.length)).isEqualTo(new byte[4 * MANY]);
        }
    }

    /** Floats become a tenth shorter, which is not worth the time. */
    @Test
    void floatsAreSentAsTheyAre() throws Exception {
        var random = new Random(5);
        ByteBuffer floats = ByteBuffer.allocate(MANY);
        while (floats.hasRemaining()) {
            floats.putFloat((float) random.nextGaussian());
        }
        try (var client = RestClient.ofOwnServer(folder)) {
            HttpResponse<byte[]> answer = post(
                    client, "v2/models/bytes/infer", floats.array(), "gzip", "Inference-Header-Content-Length", "0");
            assertThat(encoding(answer)).isEmpty();
            int length = answer.body().length;
            assertThat(Arrays.copyOfRange(answer.body(), length - MANY, length)).isEqualTo(floats.array());
        }
    }

    @Test
    void answersThatWouldNotBecomeShorterAreSentAsTheyAre() throws Exception {
        byte[] noise = new byte[MANY];
        new Random(3).nextBytes(noise);
        try (var client = RestClient.ofOwnServer(folder)) {
            HttpResponse<byte[]> answer =
                    post(client, "v2/models/bytes/infer", noise, "gzip", "Inference-Header-Content-Length", "0");
            assertThat(encoding(answer)).isEmpty();
            int length = answer.body().length;
            assertThat(Arrays.copyOfRange(answer.body(), length - MANY, length)).isEqualTo(noise);
            assertThat(encoding(infer(client, zeros(1), "gzip"))).isEmpty();
        }
    }

    /** An event of a stream may be the last one for a long time, so none waits in a compressor. */
    @Test
    void eventsAreSentAsTheyCome() throws Exception {
        try (var client = RestClient.ofOwnServer(folder)) {
            String prompt = "{\"text_input\": \"the\", \"padding\": \"" + " ".repeat(5000) + "\"}";
            HttpResponse<byte[]> answer =
                    post(client, "v2/models/mill/generate_stream", prompt.getBytes(StandardCharsets.UTF_8), "gzip");
            assertThat(encoding(answer)).isEmpty();
            assertThat(new String(answer.body(), StandardCharsets.UTF_8)).startsWith("data: {");
        }
    }

    @Test
    void theServerMayBeToldNotToCompress() throws Exception {
        var options = TestServers.options(folder).httpCompression(Compression.NONE);
        try (var server = ModelServer.start(options.build());
                var client = new RestClient(server)) {
            assertThat(encoding(infer(client, zeros(1000), "gzip"))).isEmpty();
        }
    }

    /** The bytes of an answer's message, packed and unpacked. */
    private static final class Sizes extends ClientStreamTracer.Factory {
        private final AtomicLong wire = new AtomicLong();
        private final AtomicLong content = new AtomicLong();

        @Override
        public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata headers) {
            return new ClientStreamTracer() {
                @Override
                public void inboundWireSize(long bytes) {
                    wire.addAndGet(bytes);
                }

                @Override
                public void inboundUncompressedSize(long bytes) {
                    content.addAndGet(bytes);
                }
            };
        }
    }

    /** Clients of gRPC for Java accept gzip unless they are told otherwise. */
    private Sizes call(Compression compression, int elements) throws Exception {
        var method = MethodDescriptor.<ModelInferRequest, ModelInferResponse>newBuilder()
                .setType(MethodType.UNARY)
                .setFullMethodName("inference.GRPCInferenceService/ModelInfer")
                .setRequestMarshaller(ProtoUtils.marshaller(ModelInferRequest.getDefaultInstance()))
                .setResponseMarshaller(ProtoUtils.marshaller(ModelInferResponse.getDefaultInstance()))
                .build();
        var request = ModelInferRequest.newBuilder()
                .setModelName("same")
                .addInputs(InferInputTensor.newBuilder()
                        .setName("x")
                        .setDatatype("FP32")
                        .addShape(elements))
                .addRawInputContents(ByteString.copyFrom(new byte[4 * elements]));
        var options = TestServers.options(folder).grpcCompression(compression);
        var sizes = new Sizes();
        try (var server = ModelServer.start(options.build());
                var client = new GrpcClient(server)) {
            ModelInferResponse answer = ClientCalls.blockingUnaryCall(
                    client.channel(), method, CallOptions.DEFAULT.withStreamTracerFactory(sizes), request.build());
            assertThat(answer.getRawOutputContents(0)).isEqualTo(request.getRawInputContents(0));
        }
        return sizes;
    }

    @ParameterizedTest
    @EnumSource(
            value = Compression.class,
            names = {"LOW", "HIGH"})
    void messagesAreCompressedIfTheServerIsToldTo(Compression compression) throws Exception {
        Sizes sizes = call(compression, MANY);
        assertThat(sizes.content.get()).isGreaterThan(4 * MANY);
        assertThat(sizes.wire.get()).isLessThan(4 * MANY / 10);
    }

    @ParameterizedTest
    @ValueSource(ints = {MANY, 10})
    void messagesAreSentAsTheyAreOtherwise(int elements) throws Exception {
        // a short message is not compressed by a server that compresses
        Sizes sizes = call(elements == MANY ? Compression.NONE : Compression.HIGH, elements);
        assertThat(sizes.wire.get()).isEqualTo(sizes.content.get());
    }
}
