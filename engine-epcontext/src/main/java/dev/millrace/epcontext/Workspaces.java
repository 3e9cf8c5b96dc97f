package dev.millrace.epcontext;

import dev.millrace.graph.EngineException;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The workspaces of an engine: one for each provider that has compiled something, and for each folder into which sessions
 * with {@code ep.share_ep_contexts} compile, the group of those. Thread-safe.
 */
public final class Workspaces {
    private final ConcurrentHashMap<String, Workspace> byProvider = new ConcurrentHashMap<>();

    private final ConcurrentHashMap<Path, ContextGroup> byFolder = new ConcurrentHashMap<>();

    private final CheckedWeights checkedWeights = new CheckedWeights();

    /** The group that a model written so belongs to, or null where it stands for itself. */
    public @Nullable ContextGroup group(EpContextOptions options, ContextOutput output) {
        if (!options.enable()) {
            return null;
        }
        ContextGroup named = options.group();
        if (named != null) {
            named.check(output);
            return named;
        }
        if (!options.share()) {
            if (options.stopShare()) {
                throw EngineException.invalidArgument(
                        "ep.stop_share_ep_contexts ends a group, and ep.share_ep_contexts, which makes one, is not"
                                + " set");
            }
            return null;
        }
        Path folder = output.folder();
        if (folder == null) {
            throw EngineException.invalidArgument("ep.share_ep_contexts needs a file to write the model to");
        }
        ContextGroup group =
                byFolder.compute(folder, (_, known) -> known != null && known.isOpen() ? known : ContextGroup.create());
        group.check(output);
        return group;
    }

    /** Ends the group of those who compile into a folder, because one of its models failed. */
    public void failGroup(Path folder, String why) {
        ContextGroup group = byFolder.remove(folder);
        if (group != null) {
            group.fail(why);
        }
    }

    /** What was compared already of the weights that binaries name. */
    CheckedWeights checkedWeights() {
        return checkedWeights;
    }

    public Workspace of(String provider) {
        return byProvider.computeIfAbsent(provider, Workspace::new);
    }
}
