package dev.millrace.bench.server;

import java.io.IOException;
import java.util.List;

/** A client of a service. It asks again as soon as it has its answer. */
interface ServiceClient extends AutoCloseable {
    /** Sends the next request, and returns when its answer is there. */
    void ask() throws Exception;

    @Override
    void close() throws Exception;

    /** Returns a client by HTTP that sends these requests in turn, over a connection of its own. */
    static ServiceClient rest(ServiceProcess service, List<byte[]> requests) throws IOException {
        return new ServiceClient() {
            private final HttpConnection connection = new HttpConnection(service.httpPort());
            private int next;

            @Override
            public void ask() throws IOException {
                connection.ask(requests.get(next++ % requests.size()));
            }

            @Override
            public void close() throws IOException {
                connection.close();
            }
        };
    }

    /** Returns a client by gRPC that sends one request again and again. */
    static ServiceClient grpc(ServiceProcess service, byte[] request) {
        return new ServiceClient() {
            private final GrpcConnection connection = new GrpcConnection(service.grpcPort());

            @Override
            public void ask() {
                connection.ask(request);
            }

            @Override
            public void close() throws InterruptedException {
                connection.close();
            }
        };
    }
}
