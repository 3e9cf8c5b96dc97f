package dev.millrace.bench.server;

import ai.onnxruntime.OrtException;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The HTTP server of the JDK, with virtual threads. */
public final class PlainService implements PeerService {
    private static final int OK = 200;
    private static final int FAILED = 500;

    @Override
    public String name() {
        return "jdk";
    }

    @Override
    public String title() {
        return "plain service";
    }

    @Override
    public Running start(PlainModels models) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        server.setExecutor(threads);
        for (String model : models.names()) {
            server.createContext("/" + model, exchange -> answer(exchange, models, model));
        }
        server.start();
        return new Running() {
            @Override
            public int port() {
                return server.getAddress().getPort();
            }

            @Override
            public void close() {
                server.stop(0);
                threads.close();
            }
        };
    }

    private static void answer(HttpExchange exchange, PlainModels models, String model) throws IOException {
        try (exchange) {
            byte[] answer = models.answer(model, exchange.getRequestBody().readAllBytes());
            exchange.sendResponseHeaders(OK, answer.length);
            exchange.getResponseBody().write(answer);
        } catch (OrtException | RuntimeException e) {
            exchange.sendResponseHeaders(FAILED, -1);
        }
    }
}
