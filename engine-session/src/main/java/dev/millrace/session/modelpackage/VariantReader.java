package dev.millrace.session.modelpackage;

import dev.millrace.graph.EngineException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Reads variants. The paths of one are relative to its own folder or, in older packages, to that of its component. */
final class VariantReader {
    private static final String FOLDER = "variant_directory";
    private static final String TARGETS = "ep_compatibility";
    private static final String EXECUTORS = "executor_info";
    private static final String HERE = "ort";

    private final PackageFolder files;
    private final boolean haveFolders;

    /** @param haveFolders whether every variant has a folder, which is called like it unless it says otherwise */
    VariantReader(PackageFolder files, boolean haveFolders) {
        this.files = files;
        this.haveFolders = haveFolders;
    }

    /** @param base the component's folder */
    Variant read(String name, Members variant, Path base) {
        Path own = base;
        if (haveFolders || variant.has(FOLDER)) {
            String folder = variant.has(FOLDER) ? variant.text(FOLDER) : name;
            own = files.folder(variant.place() + ", '" + FOLDER + "'", base, folder);
        }
        Members body = body(variant, own);
        return new Variant(
                name,
                targets(variant),
                files.file(body.place(), own, body.text("model_file")),
                options(body, own),
                body.texts("provider_options"));
    }

    /** Returns the variant's object for engines of this kind, which stands in the manifest or in a file of its own. */
    private Members body(Members variant, Path own) {
        Members executors = variant.object(EXECUTORS);
        return executors.all().get(HERE) instanceof String path
                ? Members.read(files.file(executors.place() + ", '" + HERE + "'", own, path))
                : executors.object(HERE);
    }

    private static List<Variant.Target> targets(Members variant) {
        if (!variant.has(TARGETS)) {
            return variant.has("ep") ? List.of(target(variant)) : List.of();
        }
        var targets = new ArrayList<Variant.Target>();
        for (Object each : variant.array(TARGETS)) {
            targets.add(target(Members.of(variant.place() + ", '" + TARGETS + "'", each)));
        }
        return targets;
    }

    private static Variant.Target target(Members said) {
        return new Variant.Target(said.text("ep"), said.optional("device"), said.optional("compatibility_string"));
    }

    /** Options of a session, with files and folders found. None says what to write: a package is only read. */
    private Map<String, String> options(Members body, Path own) {
        Map<String, String> options = body.texts("session_options");
        options.replaceAll((key, value) -> {
            String place = body.place() + ", '" + key + "'";
            return switch (key) {
                case "session.model_external_initializers_file_folder_path" ->
                    files.folder(place, own, value).toString();
                case "ep.context_source_model_path" ->
                    files.file(place, own, value).toString();
                case "ep.context_file_path" -> files.found(place, own, value).toString();
                default -> {
                    if (key.startsWith("ep.")) {
                        throw EngineException.invalidArgument(
                                place + " is an option of what to write, and packages are only read");
                    }
                    yield value;
                }
            };
        });
        return options;
    }
}
