package dev.millrace.session.pack;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Reads what a package says of itself: its manifest, and what its components say of themselves. */
public final class Manifest {
    /** The file that makes a folder a package. */
    public static final String NAME = "manifest.json";

    private static final String COMPONENTS = "components";
    private static final String MODELS = "models";
    private static final String METADATA = "metadata.json";
    private static final double VERSION = 1;

    private final Path folder;
    private final PackageFolder files;

    private Manifest(Path folder) {
        this.folder = folder;
        this.files = new PackageFolder(folder);
    }

    /** The variants of each component, in the order in which they are declared. */
    public static Map<String, List<Variant>> read(Path folder) {
        if (!Files.isRegularFile(folder.resolve(NAME))) {
            throw new EngineException(Status.NO_SUCH_FILE, "there is no " + NAME + " in " + folder);
        }
        return new Manifest(folder).components();
    }

    private static Members parse(Path file) {
        try {
            return Members.of(file.toString(), Json.parse(Files.readString(file)));
        } catch (IllegalArgumentException e) {
            throw EngineException.invalidArgument(file + ": " + e.getMessage());
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, file + " cannot be read: " + e, e);
        }
    }

    private Map<String, List<Variant>> components() {
        Members manifest = parse(folder.resolve(NAME));
        if (!Double.valueOf(VERSION).equals(manifest.all().get("schema_version"))) {
            throw EngineException.invalidArgument(
                    manifest.place() + ": 'schema_version' is to be 1, which is what can be read");
        }
        var components = new LinkedHashMap<String, List<Variant>>();
        if (manifest.has(COMPONENTS)) {
            Members named = manifest.object(COMPONENTS);
            named.all().forEach((name, body) -> {
                String place = manifest.place() + ": component '" + name + "'";
                components.put((String) name, variants(Members.of(place, body), folder));
            });
        } else {
            discover(components);
        }
        if (components.isEmpty()) {
            throw EngineException.invalidArgument(manifest.place() + " has no component");
        }
        return components;
    }

    /** Every folder of the models' that says something of itself is a component. */
    private void discover(Map<String, List<Variant>> components) {
        Path models = folder.resolve(MODELS);
        if (!Files.isDirectory(models)) {
            return;
        }
        try (Stream<Path> all = Files.list(models)) {
            for (Path each : all.sorted().toList()) {
                if (Files.isRegularFile(each.resolve(METADATA))) {
                    components.put(each.getFileName().toString(), variants(parse(each.resolve(METADATA)), each));
                }
            }
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, models + " cannot be read: " + e, e);
        }
    }

    private List<Variant> variants(Members component, Path base) {
        var variants = new ArrayList<Variant>();
        Members named = component.object("variants");
        named.all().forEach((name, body) -> {
            String place = component.place() + ", variant '" + name + "'";
            variants.add(variant((String) name, Members.of(place, body), base));
        });
        return List.copyOf(variants);
    }

    private Variant variant(String name, Members variant, Path base) {
        var targets = new ArrayList<Variant.Target>();
        if (variant.has("ep_compatibility")) {
            for (Object each : variant.array("ep_compatibility")) {
                Members target = Members.of(variant.place() + ", 'ep_compatibility'", each);
                targets.add(new Variant.Target(
                        target.text("ep"), target.optional("device"), target.optional("compatibility_string")));
            }
        }
        Members body = variant.object("executor_info").object("ort");
        return new Variant(
                name,
                targets,
                files.file(body.place(), base, body.text("model_file")),
                options(body, base),
                body.texts("provider_options"));
    }

    /** Options of a session, with folders found. None says where to write: a package is only read. */
    private Map<String, String> options(Members body, Path base) {
        Map<String, String> options = body.texts("session_options");
        for (String key : options.keySet()) {
            if (key.startsWith("ep.")) {
                throw EngineException.invalidArgument(
                        body.place() + ": option '" + key + "' is about files to write, which packages do not do");
            }
        }
        options.computeIfPresent(
                "session.model_external_initializers_file_folder_path",
                (key, value) -> files.folder(body.place() + ", '" + key + "'", base, value)
                        .toString());
        return options;
    }
}
