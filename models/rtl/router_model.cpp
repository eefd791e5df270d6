#include "models/rtl/router_model.h"

#include <algorithm>

namespace kernbench {
namespace {

constexpr unsigned channel_bits = 4, route_bits = 3, tag_bits = 64;

}  // namespace

void RouterInterface::clear() {
  set_bits(pins_.in.valid, 0, shape_.ports, 0);
  const unsigned credits = shape_.ports * shape_.channels();
  for (unsigned first = 0; first < credits; first += 64)
    set_bits(pins_.out.credit, first, std::min(credits - first, 64U), 0);
}

void RouterInterface::drive(unsigned port, const PinFlit& flit) {
  set_bits(pins_.in.valid, port, 1, 1);
  set_bits(pins_.in.channel, port * channel_bits, channel_bits, flit.channel);
  set_bits(pins_.in.head, port, 1, flit.head ? 1 : 0);
  set_bits(pins_.in.tail, port, 1, flit.tail ? 1 : 0);
  set_bits(pins_.in.route, port * route_bits, route_bits, flit.route);
  set_bits(pins_.in.tag, port * tag_bits, tag_bits, flit.tag);
}

PinFlit RouterInterface::flit(unsigned port) const {
  PinFlit flit;
  flit.channel =
      static_cast<unsigned>(bits_of(pins_.out.channel, port * channel_bits, channel_bits));
  flit.head = bits_of(pins_.out.head, port, 1) != 0;
  flit.tail = bits_of(pins_.out.tail, port, 1) != 0;
  flit.route = static_cast<unsigned>(bits_of(pins_.out.route, port * route_bits, route_bits));
  flit.tag = bits_of(pins_.out.tag, port * tag_bits, tag_bits);
  return flit;
}

Pins RouterInterface::list_of(const RouterPins& pins, const RouterShape& shape) {
  using Kind = Pin::Kind;
  const unsigned n = shape.ports, c = shape.channels();
  return {
      {"in_valid", "a flit is offered, by port", n, Kind::input, pins.in.valid},
      {"in_channel", "virtual channel of the flit", n * channel_bits, Kind::input, pins.in.channel,
       channel_bits},
      {"in_head", "first flit of the message, by port", n, Kind::input, pins.in.head},
      {"in_tail", "last flit of the message, by port", n, Kind::input, pins.in.tail},
      {"in_route", "output of the flit", n * route_bits, Kind::input, pins.in.route, route_bits},
      {"in_tag", "identifier of the flit", n * tag_bits, Kind::input, pins.in.tag, tag_bits},
      {"in_credit", "buffer slots released, by channel", n * c, Kind::control, pins.in.credit, c},
      {"out_valid", "a flit leaves, by port", n, Kind::control, pins.out.valid},
      {"out_channel", "virtual channel of the flit", n * channel_bits, Kind::control,
       pins.out.channel, channel_bits},
      {"out_head", "first flit of the message, by port", n, Kind::control, pins.out.head},
      {"out_tail", "last flit of the message, by port", n, Kind::control, pins.out.tail},
      {"out_route", "output of the flit", n * route_bits, Kind::control, pins.out.route,
       route_bits},
      {"out_tag", "identifier of the flit", n * tag_bits, Kind::control, pins.out.tag, tag_bits},
      {"out_credit", "buffer slots released, by channel", n * c, Kind::input, pins.out.credit, c}};
}

}  // namespace kernbench
