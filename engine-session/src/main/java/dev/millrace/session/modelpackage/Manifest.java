package dev.millrace.session.modelpackage;

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
    /** The file of a component that the manifest names by its folder. */
    private static final String COMPONENT = "component.json";

    private static final String MODELS = "models";
    private static final String METADATA = "metadata.json";
    private static final String SHARED = "shared_assets";
    private static final String VERSION = "schema_version";

    private final Path folder;
    private final Members manifest;
    private final PackageFolder files;
    private final VariantReader variants;

    private Manifest(Path folder) {
        this.folder = folder;
        this.manifest = Members.read(folder.resolve(NAME));
        this.files = new PackageFolder(folder, manifest.texts(SHARED));
        this.variants = new VariantReader(files, ofVersion());
    }

    /** The variants of each component, in the order in which they are declared. */
    public static Map<String, List<Variant>> read(Path folder) {
        if (!Files.isRegularFile(folder.resolve(NAME))) {
            throw new EngineException(Status.NO_SUCH_FILE, "there is no " + NAME + " in " + folder);
        }
        return new Manifest(folder).components();
    }

    /** Whether the version is written as a text, as it is since variants have folders; throws where it is not 1. */
    private boolean ofVersion() {
        Object version = manifest.all().get(VERSION);
        boolean isText = version instanceof String text && text.matches("1(\\.[0-9]{1,9})?");
        if (!isText && !Double.valueOf(1).equals(version)) {
            throw EngineException.invalidArgument(
                    manifest.place() + ": '" + VERSION + "' is to be 1 or \"1.<minor>\", which is what can be read");
        }
        return isText;
    }

    private Map<String, List<Variant>> components() {
        var components = new LinkedHashMap<String, List<Variant>>();
        if (manifest.has(COMPONENTS)) {
            manifest.object(COMPONENTS).all().forEach((name, body) -> {
                String place = manifest.place() + ": component '" + name + "'";
                components.put(
                        (String) name,
                        body instanceof String path
                                ? external(place, path)
                                : variants(Members.of(place, body), folder));
            });
        } else {
            discover(components);
        }
        if (components.isEmpty()) {
            throw EngineException.invalidArgument(manifest.place() + " has no component");
        }
        return components;
    }

    /** A component with a file of its own. */
    private List<Variant> external(String place, String path) {
        Path found = files.found(place, folder, path);
        Path file = files.file(place, folder, Files.isDirectory(found) ? path + "/" + COMPONENT : path);
        return variants(Members.read(file), Files.isDirectory(found) ? found : file.resolveSibling(""));
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
                    components.put(each.getFileName().toString(), variants(Members.read(each.resolve(METADATA)), each));
                }
            }
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, models + " cannot be read: " + e, e);
        }
    }

    private List<Variant> variants(Members component, Path base) {
        var read = new ArrayList<Variant>();
        component.object("variants").all().forEach((name, body) -> {
            String place = component.place() + ", variant '" + name + "'";
            read.add(variants.read((String) name, Members.of(place, body), base));
        });
        return List.copyOf(read);
    }
}
