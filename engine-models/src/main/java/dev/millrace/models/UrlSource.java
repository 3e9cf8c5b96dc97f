package dev.millrace.models;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.models.ModelName.NamedFile;
import dev.millrace.models.http.HttpFetcher;
import dev.millrace.models.http.HttpReply;
import dev.millrace.models.http.PartialFile;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Objects;

/** Files of any address, each with its digest. The files of one name lie in a folder that their digests name. */
final class UrlSource {
    private final ModelName name;
    private final FetchOptions options;
    private final HttpFetcher http;
    private final Path folder;

    UrlSource(ModelName name, FetchOptions options, HttpFetcher http) {
        this.name = name;
        this.options = options;
        this.http = http;
        var all = new StringBuilder(name.source());
        for (NamedFile file : name.files()) {
            if (file.sha256() == null) {
                throw EngineException.invalidArgument("'" + name.source() + "/" + file.path()
                        + "' needs the SHA-256 of its content: append #sha256=DIGEST");
            }
            all.append('\n').append(file.path()).append(' ').append(file.sha256());
        }
        folder = options.folder().resolve("addresses").resolve(FileDigest.ofText(all.toString()));
    }

    /** Returns a file, which is fetched if it is not there. */
    Path fetch(NamedFile file) {
        Path place = folder.resolve(file.path());
        String label = name.source() + "/" + file.path();
        try (var _ = FetchLock.of(folder.resolveSibling(folder.getFileName() + ".lock"))) {
            if (!Files.isRegularFile(place)) {
                if (options.offline()) {
                    throw new EngineException(
                            Status.NO_SUCH_FILE,
                            label + " was not fetched before, and the option offline forbids to fetch it now");
                }
                download(file, label, place);
            }
            return place;
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, label + " cannot be fetched: " + e, e);
        }
    }

    private void download(NamedFile file, String label, Path place) throws IOException {
        URI address;
        try {
            address = URI.create(name.source() + "/" + RelativePath.encoded(file.path()));
        } catch (IllegalArgumentException e) {
            throw EngineException.invalidArgument("'" + label + "' is no address");
        }
        Files.createDirectories(Objects.requireNonNull(place.getParent()));
        Path partial = place.resolveSibling(place.getFileName() + ".incomplete");
        var content = new PartialFile(
                partial,
                -1,
                options.largestFile(),
                (bytes, total) -> options.listener().onProgress(new FetchProgress(file.path(), bytes, total)));
        HttpReply reply = http.download(address, null, content);
        if (!reply.isSuccess()) {
            throw new EngineException(
                    reply.isBusy() ? Status.OVERLOADED : Status.NO_SUCH_FILE,
                    label + ": " + reply.uri().getHost() + " answers with status " + reply.status());
        }
        try {
            FileDigest.check(partial, label, Objects.requireNonNull(file.sha256()));
        } catch (EngineException e) {
            Files.deleteIfExists(partial);
            throw e;
        }
        Files.move(partial, place, StandardCopyOption.ATOMIC_MOVE);
    }
}
