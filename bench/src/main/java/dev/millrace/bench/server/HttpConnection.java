package dev.millrace.bench.server;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** A connection that sends one request after the other, with as little work as HTTP allows. */
final class HttpConnection implements AutoCloseable {
    private static final String LENGTH = "content-length:";
    private static final String OK = "HTTP/1.1 200";

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    HttpConnection(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    /** Returns the bytes of a request. */
    static byte[] request(String path, String headers, byte[]... body) {
        int length = 0;
        for (byte[] each : body) {
            length += each.length;
        }
        byte[] head = ("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + length + "\r\n" + headers
                        + "\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        byte[] all = new byte[head.length + length];
        System.arraycopy(head, 0, all, 0, head.length);
        int at = head.length;
        for (byte[] each : body) {
            System.arraycopy(each, 0, all, at, each.length);
            at += each.length;
        }
        return all;
    }

    /** Sends a request, and returns the body of the answer. */
    byte[] ask(byte[] request) throws IOException {
        out.write(request);
        String status = line();
        int length = 0;
        for (String header = line(); !header.isEmpty(); header = line()) {
            if (header.toLowerCase(Locale.ROOT).startsWith(LENGTH)) {
                length = Integer.parseInt(header.substring(LENGTH.length()).strip());
            }
        }
        byte[] body = in.readNBytes(length);
        if (!status.startsWith(OK)) {
            throw new IOException(status + ": " + new String(body, StandardCharsets.UTF_8));
        }
        return body;
    }

    private String line() throws IOException {
        var line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the service closed the connection");
            }
            if (next != '\r') {
                line.append((char) next);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
