// SPDX-License-Identifier: Apache-2.0
// Copyright The trnsim authors
//
// Roofline: what the chip could reach at an intensity, and where the run is.
import {axis, base, chart, legend, tip} from '../chart.js';
import {panel} from '../dom.js';
import {compact, digits, rate, tflops} from '../format.js';
import {table} from '../table.js';
import {colours} from '../theme.js';
import {bandwidths, peaks, rooflinePoint} from './result.js';

const DASHES = ['solid', [8, 4], [2, 3], [10, 3, 2, 3], [14, 4]];

export function rooflinePanel(runs, {title = 'Roofline'} = {}) {
  const [first] = runs;
  const roofs = peaks(first.result);
  const slopes = bandwidths(first.result);
  const memory = slopes.reduce((least, slope) => (slope.rate < least.rate ? slope : least));
  const points = runs.map((run) => ({run, at: rooflinePoint(run.result)})).filter(({at}) => at);
  const ridges = roofs.map(({peak}) => (peak * 1e3) / memory.rate);
  const from = 10 ** Math.floor(Math.log10(Math.min(...ridges, ...points.map(({at}) => at.intensity)) / 8));
  const to = 10 ** Math.ceil(Math.log10(Math.max(...ridges, ...points.map(({at}) => at.intensity)) * 3));
  const roof = (peak, slope) => {
    const ridge = (peak * 1e3) / slope.rate;
    return [[from, (from * slope.rate) / 1e3], [Math.max(ridge, from), peak], [Math.max(to, ridge), peak]];
  };
  const name = (types) => types.join(', ');
  const option = () => {
    const theme = colours();
    const lines = roofs.map(({peak, types}, index) => ({
      type: 'line', name: name(types), data: roof(peak, memory), showSymbol: true, symbol: 'circle', symbolSize: (_, {dataIndex}) => (dataIndex === 1 ? 7 : 0),
      lineStyle: {type: DASHES[index % DASHES.length], width: 1.8, color: theme.hues[index]}, itemStyle: {color: theme.hues[index]}, emphasis: {disabled: true},
    }));
    const other = slopes.filter((slope) => slope !== memory).map((slope) => ({
      type: 'line', name: `${slope.name} alone`, data: roof(roofs[0].peak, slope).slice(0, 2), showSymbol: false, lineStyle: {type: [3, 5], width: 1, color: theme.soft}, itemStyle: {color: theme.soft}, emphasis: {disabled: true},
    }));
    const marks = {
      type: 'scatter', name: runs.length > 1 ? 'runs' : 'this run', symbol: 'diamond', symbolSize: 17, z: 5,
      itemStyle: {color: theme.ink, borderColor: theme.ground, borderWidth: 1.5},
      data: points.map(({at, run}) => ({value: [at.intensity, at.tflops], name: run.name})),
      label: {show: true, formatter: ({data, dataIndex}) => (runs.length > 1 ? String(dataIndex + 1) : `${digits(data.value[1])} TFLOP/s`), position: runs.length > 1 ? 'right' : 'bottom', distance: 6, color: theme.ink, fontSize: 12, fontWeight: runs.length > 1 ? 'bold' : 'normal', textBorderColor: theme.ground, textBorderWidth: 3},
    };
    return {
      ...base(),
      aria: {enabled: false},
      grid: {left: 58, right: 18, top: 14, bottom: 76},
      legend: legend(),
      xAxis: axis({type: 'log', min: from, max: to, name: 'FLOP for each byte of HBM traffic', nameGap: 26, axisLabel: {formatter: compact}}),
      yAxis: axis({type: 'log', name: 'TFLOP/s', nameGap: 40, axisLabel: {formatter: compact}}),
      series: [...lines, ...other, marks],
      tooltip: {...base().tooltip, trigger: 'item', formatter: ({seriesName, data, dataIndex}) => {
        const [x, y] = data.value ?? data;
        if (data.value) return tip(data.name, [`${tflops.short(y)} at ${digits(x)} FLOP/B`]);
        return tip(seriesName, [dataIndex === 1 ? `ridge: ${digits(x)} FLOP/B` : '', `${tflops.short(y)}`].filter(Boolean));
      }},
    };
  };
  const numbered = runs.length > 1 ? ` Runs: ${points.map(({run}, index) => `${index + 1} ${run.name}`).join(', ')}.` : '';
  const rows = [
    ...roofs.map(({peak, types}, index) => [`peak of ${name(types)}`, tflops.short(peak), `${digits(ridges[index])} FLOP/B`]),
    ...points.map(({run, at}) => [runs.length > 1 ? run.name : 'this run', tflops.short(at.tflops), `${digits(at.intensity)} FLOP/B`]),
  ];
  const steps = [
    ...roofs.map(({peak, types}, index) => ({series: index, index: 1, text: `${name(types)}: peak ${tflops.short(peak)}, ridge at ${digits(ridges[index])} FLOP/B`})),
    ...points.map(({run, at}, index) => ({series: roofs.length + slopes.length - 1, index, text: `${run.name}: ${tflops.short(at.tflops)} at ${digits(at.intensity)} FLOP/B`})),
  ];
  const slopeText = slopes.map((slope) => `${slope.name} ${rate.short(slope.rate)}`).join(', ');
  return panel(title, {}, chart({
    label: 'Roofline: performance over arithmetic intensity', height: 330, option, points: () => steps,
    note: `${points.length ? '' : 'No useful FLOP or no HBM traffic: the run has no point. '}Of the cores and stacks in use: ${slopeText}. The slope of the roofs is the smaller one, circles are ridge points.${numbered}`,
    table: () => table('Roofline', ['What', {text: 'Performance', numeric: true}, {text: 'Ridge or intensity', numeric: true}], rows),
  }));
}
