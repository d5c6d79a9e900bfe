package dev.laneway.dashboard;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.laneway.dashboard.Frame.Hold;
import dev.laneway.dashboard.Frame.Row;
import dev.laneway.ops.LagAge;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the page reads. JSON has no infinity: it is null, as what is not known. Pure functions. */
final class PageJson {
    /** Rows of the page's table: those that are held back, then those with the most lag. */
    static final int ROWS = 60;

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private PageJson() {}

    static byte[] bytes(Object json) {
        try {
            return MAPPER.writeValueAsString(json).getBytes(StandardCharsets.UTF_8);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    static Map<String, @Nullable Object> frame(
            String name, Frame frame, long sinceMillis, List<Timeline.Entry> events, List<String> actions) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("name", name);
        json.put("at", frame.atMillis());
        json.put("state", frame.state());
        json.put("verdict", verdict(frame.verdict(), sinceMillis));
        json.put("point", History.point(frame));
        json.put("totals", totals(frame.totals()));
        json.put("counters", frame.counters());
        json.put("remarks", frame.remarks());
        json.put("partitions", frame.partitions().size());
        json.put("rows", rows(frame.partitions()));
        json.put("heat", heat(frame.partitions()));
        json.put("members", frame.members().stream().map(PageJson::member).toList());
        json.put("events", events.stream().map(PageJson::event).toList());
        json.put("actions", actions);
        json.put(
                "latencies",
                frame.details().latencies().stream().map(PageJson::latency).toList());
        json.put(
                "unfinished",
                frame.details().unfinished().stream().map(PageJson::unfinished).toList());
        json.put("keys", frame.details().keys().stream().map(PageJson::busyKey).toList());
        json.put(
                "letters",
                frame.details().letters().stream().map(PageJson::letter).toList());
        return json;
    }

    private static Map<String, Object> busyKey(Frame.BusyKey of) {
        return Map.of("key", of.key(), "id", of.id(), "records", of.records(), "busy", of.busy());
    }

    private static Map<String, Object> letter(Frame.DeadLetter of) {
        return Map.of(
                "at",
                of.atMillis(),
                "id",
                of.id(),
                "offset",
                of.offset(),
                "topic",
                of.topic(),
                "headers",
                of.headers());
    }

    private static Map<String, Object> latency(Frame.Latency of) {
        return Map.of(
                "name",
                of.name(),
                "count",
                of.count(),
                "half",
                of.half(),
                "p95",
                of.p95(),
                "p99",
                of.p99(),
                "most",
                of.most());
    }

    private static Map<String, @Nullable Object> unfinished(Frame.Unfinished of) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("id", of.id());
        json.put("offset", of.offset());
        json.put("for", of.seconds());
        json.put("attempts", of.attempts());
        json.put("error", of.error());
        json.put("stack", of.stack());
        return json;
    }

    /** What the page of a group shows of this one, in few bytes. */
    static Map<String, @Nullable Object> summary(String name, Frame frame, long sinceMillis) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("name", name);
        json.put("at", frame.atMillis());
        json.put("state", frame.state());
        json.put("verdict", verdict(frame.verdict(), sinceMillis));
        json.put("totals", totals(frame.totals()));
        return json;
    }

    /** What a page is told first. */
    static Map<String, Object> hello(String name, History history) {
        Map<String, Object> json = new LinkedHashMap<>(history.json());
        json.put("name", name);
        json.put("holds", Arrays.stream(Hold.values()).map(Hold::words).toList());
        return json;
    }

    private static Map<String, @Nullable Object> verdict(Verdict verdict, long sinceMillis) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("outcome", verdict.outcome().name());
        json.put("cause", verdict.cause() == null ? null : verdict.cause().name());
        json.put("sentence", verdict.sentence());
        json.put("remedy", verdict.remedy());
        json.put("evidence", verdict.evidence());
        json.put("blame", verdict.blame());
        json.put("since", sinceMillis);
        return json;
    }

    private static Map<String, @Nullable Object> totals(Frame.Totals of) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("done", of.done());
        json.put("appended", of.appended());
        json.put("lag", of.lag());
        age(json, of.age());
        Clearing clear = of.clear();
        json.put("clears", clear == null ? null : (Boolean) Double.isFinite(clear.seconds()));
        json.put("clear", clear == null ? null : finite(clear.seconds()));
        json.put("clearLow", clear == null ? null : finite(clear.low()));
        json.put("clearHigh", clear == null ? null : finite(clear.high()));
        json.put("running", of.running());
        json.put("limit", of.limit());
        json.put("busy", of.busy());
        json.put("waiting", of.waiting());
        json.put("held", of.held());
        json.put("heldLimit", of.heldLimit());
        json.put("heldBytes", of.heldBytes());
        json.put("bytesLimit", of.bytesLimit());
        return json;
    }

    private static void age(Map<String, @Nullable Object> json, @Nullable LagAge age) {
        json.put("ageLow", age == null ? null : (Double) age.low());
        json.put("ageHigh", age == null ? null : finite(age.high()));
    }

    private static @Nullable Double finite(double value) {
        return Double.isFinite(value) ? (Double) value : null;
    }

    private static List<Map<String, @Nullable Object>> rows(List<Row> all) {
        return all.stream()
                .sorted(Comparator.comparing((Row row) -> row.hold() == Hold.STUCK || row.hold() == Hold.STOP)
                        .thenComparingLong(row -> row.lag() == null ? 0 : row.lag())
                        .reversed())
                .limit(ROWS)
                .map(PageJson::row)
                .toList();
    }

    private static Map<String, @Nullable Object> row(Row row) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("id", row.id());
        json.put("lag", row.lag());
        age(json, row.age());
        json.put("done", row.done());
        json.put("appended", row.appended());
        json.put("hold", row.hold().code());
        json.put("heldBy", row.hold().words());
        json.put("why", row.why());
        json.put("committed", row.committed());
        json.put("oldest", row.oldest());
        json.put("oldestFor", row.oldestSeconds());
        json.put("lanes", row.lanes());
        json.put("queued", row.queued());
        json.put("held", row.held());
        json.put("spilledKeys", row.spilledKeys());
        json.put("spilled", row.spilled());
        json.put("owner", row.owner());
        json.put("paused", row.pausedByUser());
        return json;
    }

    /** For each partition its lag and what holds it back: one column of the heat map. */
    private static Map<String, Object> heat(List<Row> all) {
        Map<String, Object> json = new LinkedHashMap<>();
        all.stream().limit(History.ROWS).forEach(row -> {
            List<@Nullable Object> cell = new ArrayList<>();
            cell.add(row.lag());
            cell.add(row.hold().code());
            json.put(row.id(), cell);
        });
        return json;
    }

    private static Map<String, @Nullable Object> member(Frame.Member member) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("client", member.client());
        json.put("host", member.host());
        json.put("partitions", member.partitions());
        json.put("lag", member.lag());
        json.put("page", member.page() == null ? null : page(member.page()));
        return json;
    }

    private static Map<String, @Nullable Object> page(Frame.MemberPage page) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("state", page.state());
        json.put("outcome", page.outcome());
        json.put("sentence", page.sentence());
        json.put("done", page.done());
        json.put("lag", page.lag());
        json.put("running", page.running());
        json.put("limit", page.limit());
        json.put("busy", page.busy());
        json.put("why", page.why());
        return json;
    }

    private static Map<String, Object> event(Timeline.Entry entry) {
        return Map.of("n", entry.number(), "at", entry.atMillis(), "kind", entry.kind(), "text", entry.text());
    }
}
