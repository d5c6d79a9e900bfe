package dev.laneway.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class OrdersByCustomerTest {
    @Test
    @DisplayName(
            "B136 each customer's orders are booked in order, and those of more customers at once than there are keys")
    void ordersOfACustomerStayInOrder() throws Exception {
        OrdersByCustomer.Ledger ledger = new OrdersByCustomer.Ledger();
        try (Cluster cluster = Shared.cluster()) {
            OrdersByCustomer.run(cluster, ledger);
        }

        assertThat(ledger.booked()).hasSize(OrdersByCustomer.CUSTOMERS);
        for (int customer = 0; customer < OrdersByCustomer.CUSTOMERS; customer++) {
            assertThat(ledger.booked().get("customer-" + customer))
                    .containsExactlyElementsOf(IntStream.iterate(
                                    customer, i -> i < OrdersByCustomer.ORDERS, i -> i + OrdersByCustomer.CUSTOMERS)
                            .mapToObj(String::valueOf)
                            .toList());
        }
        assertThat(ledger.mostAtOnce()).isGreaterThan(2).isLessThanOrEqualTo(OrdersByCustomer.CUSTOMERS);
    }
}
