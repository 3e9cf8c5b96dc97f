package dev.millrace.bench.server;

import dev.millrace.cli.UsageException;
import java.util.List;
import java.util.ServiceLoader;
import java.util.ServiceLoader.Provider;
import java.util.stream.Collectors;

/** A service that an application writes by hand over ONNX Runtime, which the model server is measured against. */
public interface PeerService {
    /** Returns its name in {@code --peer}. */
    String name();

    /** Returns its name in the figures. */
    String title();

    /** Answers the requests of the models at a free port of the loopback address. */
    Running start(PlainModels models) throws Exception;

    /** A service that answers. */
    interface Running extends AutoCloseable {
        int port();
    }

    /** Returns the service of this name. */
    static PeerService named(String name) {
        List<PeerService> all = ServiceLoader.load(PeerService.class).stream()
                .map(Provider::get)
                .toList();
        return all.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new UsageException("--peer is one of %s, not %s"
                        .formatted(
                                all.stream().map(PeerService::name).sorted().collect(Collectors.joining(", ")), name)));
    }
}
