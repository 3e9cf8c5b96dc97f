package dev.millrace.bench.server;

import dev.millrace.bench.server.ServiceLoad.Figures;
import java.io.PrintWriter;
import java.util.List;

/** The cost of a request by the size of its tensors. The model's own work is a Relu. */
record TensorFigures(ServiceLoad load) {
    private static final List<Integer> LENGTHS = List.of(8, 3 * 224 * 224, 16 << 20);
    private static final double KIB = 1024;

    void print(PrintWriter out) throws Exception {
        for (int length : LENGTHS) {
            try (var folder = new ServedFolder().floats(length)) {
                print(out, folder, length, false);
                print(out, folder, length, true);
            }
        }
    }

    private void print(PrintWriter out, ServedFolder folder, int length, boolean grpc) throws Exception {
        try (var service = ServiceProcess.ours(folder.path())) {
            ServiceClient client = grpc
                    ? ServiceClient.grpc(service, GrpcConnection.floats(length))
                    : ServiceClient.rest(service, List.of(Requests.floats(length)));
            Figures figures = load.measure(service, List.of(client));
            out.println(
                    "%,11d bytes each way, %s: %,.1f µs of processor time and %,.1f KiB of heap a request, p50 %,.1f µs, peak of resident memory %d MiB"
                            .formatted(
                                    length * (long) Float.BYTES,
                                    grpc ? "gRPC" : "REST",
                                    figures.processorMicros(),
                                    figures.allocated() / KIB,
                                    figures.medianMicros(),
                                    service.peakMib()));
            out.flush();
        }
    }
}
