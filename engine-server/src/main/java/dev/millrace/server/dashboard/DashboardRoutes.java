package dev.millrace.server.dashboard;

import dev.millrace.server.access.Permissions;
import dev.millrace.server.endpoint.SharedParts;
import dev.millrace.server.rest.HttpAnswer;
import dev.millrace.server.rest.HttpCall;
import dev.millrace.server.rest.HttpRouter;
import dev.millrace.server.timeline.RecentRequests;
import dev.millrace.session.Engine;
import io.netty.handler.codec.http.HttpMethod;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The routes of the page for operators. The page is the same for everybody; what it shows needs the token. */
public final class DashboardRoutes {
    private final GraphAnswers graphs;
    private final DashboardState state;
    private final RecentRequests recent;

    /** The pages, which are read when one is first asked for. */
    private static final class Pages {
        static final DashboardPage MODELS = DashboardPage.models();
        static final DashboardPage GRAPH = DashboardPage.graph();
    }

    /** @param active the number of requests that are being handled */
    public DashboardRoutes(Engine engine, SharedParts shared, IntSupplier active) {
        recent = shared.recent();
        graphs = new GraphAnswers(shared.repository());
        state = new DashboardState(engine, shared.repository(), active, shared.ready());
    }

    public void addTo(HttpRouter router) {
        router.openRoute(HttpMethod.GET, "", _ -> Mono.fromSupplier(() -> HttpAnswer.redirect("ui")));
        router.openRoute(HttpMethod.GET, "ui", _ -> Mono.fromSupplier(() -> Pages.MODELS.answer()));
        router.openRoute(HttpMethod.GET, "ui/graph", _ -> Mono.fromSupplier(() -> Pages.GRAPH.answer()));
        blocking(
                router,
                "ui/graph/*/*",
                call -> HttpAnswer.text("application/json", graphs.describe(call.variable(0), call.variable(1))));
        blocking(router, "ui/state", call -> HttpAnswer.json(state.tree(call.permissions())));
        blocking(router, "ui/requests", call -> HttpAnswer.json(requests(call.permissions())));
    }

    /** Adds a route whose handler may block: it reads files or lists the folders of models. */
    private static void blocking(HttpRouter router, String path, Function<HttpCall, HttpAnswer> handler) {
        router.route(
                HttpMethod.GET,
                path,
                call -> Mono.fromSupplier(() -> handler.apply(call)).subscribeOn(Schedulers.boundedElastic()));
    }

    private List<Map<String, @Nullable Object>> requests(Permissions permissions) {
        long now = System.nanoTime();
        return recent.newestFirst().stream()
                .filter(each -> permissions.maySee(each.model()))
                .map(each -> RequestTree.of(each, now))
                .toList();
    }
}
