package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.server.protocol.ModelInferRequest;
import dev.millrace.server.protocol.ModelInferResponse;
import dev.millrace.server.protocol.ModelStreamInferResponse;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests exchanges of ModelStreamInfer: their places, their failures and their ends. */
class ExchangeTest {
    private static final String ANSWER = "an answer";
    private static final ModelInferRequest ENDLESS = TestRequests.loop(Long.MAX_VALUE, TimeUnit.HOURS.toMicros(1));

    @TempDir
    Path folder;

    @BeforeEach
    void write() {
        new TestRepository(folder).version("plus", 1, ServerModels.plus(1, 1)).version("loop", 1, ServerModels.loop());
    }

    /** The client of an exchange. It hears answers, the messages of failures, and the status of the end. */
    private static final class Exchange implements StreamObserver<ModelStreamInferResponse> {
        private final BlockingQueue<Object> heard = new LinkedBlockingQueue<>();
        private final StreamObserver<ModelInferRequest> requests;

        Exchange(GrpcClient client, Map<String, String> headers) {
            requests = client.stream(this, headers);
        }

        String next() throws InterruptedException {
            return String.valueOf(heard.poll(60, TimeUnit.SECONDS));
        }

        List<String> next(int count) throws InterruptedException {
            var next = new ArrayList<String>();
            for (int i = 0; i < count; i++) {
                next.add(next());
            }
            return next;
        }

        @Override
        public void onNext(ModelStreamInferResponse answer) {
            heard.add(answer.getErrorMessage().isEmpty() ? ANSWER : answer.getErrorMessage());
        }

        @Override
        public void onError(Throwable failure) {
            heard.add(Status.fromThrowable(failure).getCode());
        }

        @Override
        public void onCompleted() {
            heard.add(Status.Code.OK);
        }
    }

    @Test
    void exchangesThatAreIdleTakeNoPlaceAndTheirRequestsTakeOneEach() throws Exception {
        try (var server = ModelServer.start(
                        TestServers.options(folder).maxRequests(1).build());
                var client = new GrpcClient(server)) {
            var first = new Exchange(client, Map.of());
            var second = new Exchange(client, Map.of());
            for (Exchange each : List.of(first, second, first)) {
                each.requests.onNext(TestRequests.message("plus"));
                assertThat(each.next()).isEqualTo(ANSWER);
            }
            assertThat(client.call("ModelInfer", TestRequests.message("plus"), ModelInferResponse.getDefaultInstance())
                            .getOutputsCount())
                    .isEqualTo(1);
            // takes its place before the request behind it is there
            client.exchange(
                            "ModelInfer",
                            ModelInferRequest.getDefaultInstance(),
                            ModelStreamInferResponse.getDefaultInstance(),
                            first)
                    .onNext(ENDLESS);
            second.requests.onNext(TestRequests.message("plus"));
            assertThat(second.next()).isEqualTo("the server handles 1 calls, its limit");
        }
    }

    @Test
    void aCancelledExchangeGivesThePlacesOfItsRequestsBack() throws Exception {
        try (var server = ModelServer.start(
                        TestServers.options(folder).maxRequests(1).build());
                var rest = new RestClient(server);
                var client = new GrpcClient(server)) {
            var open = Context.current().withCancellation();
            open.run(() -> new Exchange(client, Map.of()).requests.onNext(ENDLESS));
            for (int i = 0; i < 1000 && !rest.get("ui/requests").body().contains("loop"); i++) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
            assertThat(hasPlace(client)).isFalse();
            open.cancel(null);
            boolean isFree = false;
            for (int i = 0; i < 1000 && !isFree; i++) {
                TimeUnit.MILLISECONDS.sleep(10);
                isFree = hasPlace(client);
            }
            assertThat(isFree).isTrue();
        }
    }

    private static boolean hasPlace(GrpcClient client) {
        try {
            client.call("ModelInfer", TestRequests.message("plus"), ModelInferResponse.getDefaultInstance());
            return true;
        } catch (StatusRuntimeException e) {
            assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
            return false;
        }
    }

    /** An exchange has no more requests under way than there are places. */
    @Test
    void requestsOfOneExchangeWaitForEachOther() throws Exception {
        try (var server = ModelServer.start(
                        TestServers.options(folder).maxRequests(1).build());
                var client = new GrpcClient(server)) {
            var exchange = new Exchange(client, Map.of());
            for (int i = 0; i < 50; i++) {
                exchange.requests.onNext(TestRequests.message("plus"));
            }
            exchange.requests.onCompleted();
            assertThat(exchange.next(50)).containsOnly(ANSWER);
            assertThat(exchange.next()).isEqualTo("OK");
        }
    }

    @Test
    void aFailedRequestEndsAnExchangeWhoseClientAsksForStatuses() throws Exception {
        try (var server = TestServers.start(folder);
                var client = new GrpcClient(server)) {
            var exchange = new Exchange(client, Map.of("triton_grpc_error", "true"));
            for (int i = 0; i < 5; i++) {
                exchange.requests.onNext(TestRequests.message("plus"));
            }
            exchange.requests.onNext(TestRequests.message("gone"));
            exchange.requests.onNext(TestRequests.message("plus"));
            assertThat(exchange.next(5)).containsOnly(ANSWER);
            assertThat(exchange.next()).isEqualTo("NOT_FOUND");
            assertThat(exchange.heard).isEmpty();
            var other = new Exchange(client, Map.of("triton_grpc_error", "false"));
            other.requests.onNext(TestRequests.message("gone"));
            other.requests.onNext(TestRequests.message("plus"));
            other.requests.onCompleted();
            assertThat(other.next(3)).containsExactly("there is no model 'gone'", ANSWER, "OK");
        }
    }

    @Test
    void anOpenExchangeEndsWithTheServer() throws Exception {
        Duration drain = Duration.ofSeconds(60);
        try (var server = ModelServer.start(
                        TestServers.options(folder).drain(drain).build());
                var client = new GrpcClient(server)) {
            var exchange = new Exchange(client, Map.of());
            exchange.requests.onNext(TestRequests.message("plus"));
            assertThat(exchange.next()).isEqualTo(ANSWER);
            long start = System.nanoTime();
            server.close();
            assertThat(System.nanoTime() - start).isLessThan(drain.toNanos() / 2);
            assertThat(exchange.next()).isEqualTo("UNAVAILABLE");
        }
    }

    @Test
    void theServerEndsWhenTheRequestsOfExchangesAreAnswered() throws Exception {
        var options = TestServers.options(folder).drain(Duration.ofSeconds(60));
        try (var server = ModelServer.start(options.build());
                var client = new GrpcClient(server)) {
            var exchange = new Exchange(client, Map.of());
            exchange.requests.onNext(TestRequests.message("plus"));
            assertThat(exchange.next()).isEqualTo(ANSWER);
            long micros = TimeUnit.SECONDS.toMicros(2);
            for (int i = 0; i < 3; i++) {
                exchange.requests.onNext(TestRequests.loop(Long.MAX_VALUE, micros));
            }
            // answered behind the requests on the same connection, so they have arrived
            client.call("ModelInfer", TestRequests.message("plus"), ModelInferResponse.getDefaultInstance());
            server.close();
            assertThat(exchange.next(3)).allMatch(each -> each.contains("deadline"));
            assertThat(exchange.next()).isEqualTo("UNAVAILABLE");
        }
    }
}
