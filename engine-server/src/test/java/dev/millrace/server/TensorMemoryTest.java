package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.server.protocol.ModelInferRequest;
import dev.millrace.server.protocol.ModelInferRequest.InferInputTensor;
import dev.millrace.server.protocol.ModelInferResponse;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetector.Level;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the memory of tensors is neither reused while it is sent nor lost, with clients that stay and clients that go. */
class TensorMemoryTest {
    private static final int LENGTH = 100_000;
    private static final int CLIENTS = 4;
    private static final int ROUNDS = 6;
    private static final ConcurrentLinkedQueue<String> LEAKS = new ConcurrentLinkedQueue<>();
    private static final Logger LEAK_LOG = Logger.getLogger(ResourceLeakDetector.class.getName());
    private static final Handler REPORTS = new Reports();

    @TempDir
    static Path folder;

    private static Level formerLevel;
    private static ModelServer server;

    /** Keeps reports of leaks, which Netty logs. */
    private static final class Reports extends Handler {
        @Override
        public void publish(LogRecord report) {
            LEAKS.add(new SimpleFormatter().formatMessage(report));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @BeforeAll
    static void start() {
        LEAK_LOG.addHandler(REPORTS);
        formerLevel = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(Level.PARANOID);
        new TestRepository(folder)
                .version("plus", 1, ServerModels.plus(1, LENGTH))
                .version("same", 1, ServerModels.same(ElementType.FLOAT));
        server = TestServers.start(folder);
    }

    @AfterAll
    static void stop() {
        server.close();
        ResourceLeakDetector.setLevel(formerLevel);
        LEAK_LOG.removeHandler(REPORTS);
    }

    private static byte[] floats(float value) {
        ByteBuffer bytes = ByteBuffer.allocate(LENGTH * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        while (bytes.hasRemaining()) {
            bytes.putFloat(value);
        }
        return bytes.array();
    }

    private static String json(String shape) {
        return "{\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[" + shape
                + "],\"parameters\":{\"binary_data_size\":" + LENGTH * Float.BYTES
                + "}}],\"parameters\":{\"binary_data_output\":true}}";
    }

    private static void allAtOnce(int clients, Callable<Void> client) throws Exception {
        try (var threads = Executors.newFixedThreadPool(clients)) {
            for (var each : threads.invokeAll(
                    IntStream.range(0, clients).mapToObj(_ -> client).toList())) {
                each.get();
            }
        }
    }

    private static void asksByRest(RestClient client, String model, String shape, float value, float answer) {
        var got = client.postBinary("v2/models/" + model + "/infer", json(shape), floats(value));
        assertThat(got.status()).isEqualTo(200);
        int from = got.bytes().length - LENGTH * Float.BYTES;
        assertThat(Arrays.mismatch(got.bytes(), from, got.bytes().length, floats(answer), 0, LENGTH * Float.BYTES))
                .isEqualTo(-1);
    }

    private static ModelInferRequest message(float value) {
        return ModelInferRequest.newBuilder()
                .setModelName("plus")
                .addInputs(InferInputTensor.newBuilder()
                        .setName("x")
                        .setDatatype("FP32")
                        .addShape(1)
                        .addShape(LENGTH))
                .addRawInputContents(ByteString.copyFrom(floats(value)))
                .build();
    }

    /** Sends a whole request, and goes away without reading the answer. */
    private static void goesAway() throws IOException {
        byte[] document = json("1," + LENGTH).getBytes(StandardCharsets.US_ASCII);
        byte[] blob = floats(9);
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.httpPort())) {
            var out = socket.getOutputStream();
            out.write(("POST /v2/models/plus/infer HTTP/1.1\r\nHost: x\r\nContent-Length: "
                            + (document.length + blob.length) + "\r\nInference-Header-Content-Length: "
                            + document.length + "\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
            out.write(document);
            out.write(blob);
        }
    }

    @Test
    void answersByRestAreWholeWhileOthersGoAway() throws Exception {
        try (var client = new RestClient(server)) {
            allAtOnce(CLIENTS, () -> {
                for (int i = 0; i < ROUNDS; i++) {
                    float value = Thread.currentThread().threadId() * 100f + i;
                    asksByRest(client, "plus", "1," + LENGTH, value, value + 1);
                    asksByRest(client, "same", "" + LENGTH, value, value);
                    goesAway();
                }
                return null;
            });
        }
        reportsNoLeak();
    }

    @Test
    void answersByGrpcAreWholeWhileOthersGoAway() throws Exception {
        try (var client = new GrpcClient(server)) {
            allAtOnce(CLIENTS, () -> {
                for (int i = 0; i < ROUNDS; i++) {
                    float value = Thread.currentThread().threadId() * 100f + i;
                    ModelInferResponse answer =
                            client.call("ModelInfer", message(value), ModelInferResponse.getDefaultInstance());
                    assertThat(answer.getRawOutputContents(0)).isEqualTo(ByteString.copyFrom(floats(value + 1)));
                    try {
                        client.call("ModelInfer", message(9), ModelInferResponse.getDefaultInstance(), 1, "none");
                    } catch (StatusRuntimeException tooLate) {
                        assertThat(tooLate.getStatus().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
                    }
                }
                return null;
            });
        }
        reportsNoLeak();
    }

    /** Leaks show once a buffer is collected and another one is allocated. */
    private static void reportsNoLeak() {
        for (int i = 0; i < 3; i++) {
            System.gc();
            PooledByteBufAllocator.DEFAULT.directBuffer(16).release();
        }
        assertThat(LEAKS).isEmpty();
    }

    @Test
    void aBodyInPartsIsOneTensor() {
        try (var client = new RestClient(server)) {
            var answer = client.post("v2/models/same/infer", floats(3), Map.of("Inference-Header-Content-Length", "0"));
            int from = answer.bytes().length - LENGTH * Float.BYTES;
            assertThat(ByteBuffer.wrap(answer.bytes(), from, LENGTH * Float.BYTES))
                    .isEqualTo(ByteBuffer.wrap(floats(3)));
        }
    }
}
